"""A tiny Llama as a GGUF file, written as llama.cpp's converter writes it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.tiny import CHAT_TEMPLATE, SPECIAL_TOKENS, tiny_language_model_folder

NAMES = {
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
}
TOP = {"model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output"}


def write_tiny_gguf(file: Path, quantised: bool = False) -> Path:
    """Write the tiny model of `tests.tiny` to `file`; return the folder of the same model as safetensors."""
    import gguf
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder = tiny_language_model_folder()
    model = AutoModelForCausalLM.from_pretrained(folder)
    config, tokenizer = model.config, AutoTokenizer.from_pretrained(folder)
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_block_count(config.num_hidden_layers)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_head_count(config.num_attention_heads)
    writer.add_head_count_kv(config.num_key_value_heads)
    writer.add_layer_norm_rms_eps(config.rms_norm_eps)
    writer.add_rope_freq_base(config.rope_parameters["rope_theta"])
    writer.add_vocab_size(config.vocab_size)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0 if quantised else gguf.LlamaFileType.ALL_F32)
    padding = ["ÀÁ", *(f"<pad{number}>" for number in range(len(tokenizer) + 1, config.vocab_size))]
    tokens = [tokenizer.convert_ids_to_tokens(number) for number in range(len(tokenizer))] + padding
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(tokens)
    writer.add_token_merges(["À Á"])  # a file without merges is not read; these two bytes are in no text
    writer.add_token_types([3 if token in SPECIAL_TOKENS else 1 for token in tokens])
    writer.add_bos_token_id(256)
    writer.add_eos_token_id(258)
    writer.add_add_bos_token(False)
    writer.add_chat_template(CHAT_TEMPLATE)
    for name, tensor in model.state_dict().items():
        data = _permuted(name, tensor.float().numpy(), config)
        kind = gguf.GGMLQuantizationType.Q8_0 if quantised and data.ndim == 2 else gguf.GGMLQuantizationType.F32
        writer.add_tensor(_gguf_name(name), gguf.quants.quantize(data, kind), raw_dtype=kind)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return folder


def _gguf_name(name: str) -> str:
    stem = name.removesuffix(".weight")
    if stem in TOP:
        return f"{TOP[stem]}.weight"
    _, _, layer, part = stem.split(".", 3)
    return f"blk.{layer}.{NAMES[part]}.weight"


def _permuted(name: str, data: np.ndarray, config) -> np.ndarray:
    """Reorder rotary dimensions from halves to pairs, as llama.cpp has them."""
    heads = {"q_proj": config.num_attention_heads, "k_proj": config.num_key_value_heads}
    count = next((number for key, number in heads.items() if key in name), None)
    if count is None:
        return data
    halves = data.reshape(count, 2, data.shape[0] // count // 2, *data.shape[1:])
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(data.shape))
