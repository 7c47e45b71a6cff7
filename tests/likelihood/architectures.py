"""Tiny random models of many architectures: the engine must give each one's own numbers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import transformers

VOCABULARY = 97
SMALL = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "initializer_range": 0.2,  # large, so that attention matters and a wrong prefix shows
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
ALTERNATING = {"num_hidden_layers": 4, "layer_types": ["sliding_attention", "full_attention"] * 2}
MAMBA2 = {"mamba_d_head": 8, "mamba_d_state": 4, "mamba_n_groups": 1, "mamba_chunk_size": 8}
LINEAR = {
    "linear_num_value_heads": 4,
    "linear_num_key_heads": 2,
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "num_hidden_layers": 4,
    "layer_types": ["linear_attention", "full_attention"] * 2,
}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}


def build(name: str, config: str, small: dict[str, Any] | None = None, **options: Any) -> Any:
    """Make a `transformers.<name>` from a `transformers.<config>` with small sizes, seeded."""
    torch.manual_seed(0)
    sizes = SMALL if small is None else small
    return getattr(transformers, name)(getattr(transformers, config)(**{**sizes, **options})).eval()


def maker(*arguments: Any, **options: Any) -> Callable[[], Any]:
    return lambda: build(*arguments, **options)


def scaled_rotary(kind: str, original: int, **options: Any) -> Any:
    """Make a Phi-3 with LongRoPE, or a Llama with dynamic NTK, that changes its factors above `original` tokens."""
    rotary = {"rope_type": kind, "rope_theta": 10000.0, **options}
    if kind == "dynamic":
        return build("LlamaForCausalLM", "LlamaConfig", max_position_embeddings=original, rope_parameters=rotary)
    return build("Phi3ForCausalLM", "Phi3Config", original_max_position_embeddings=original, rope_parameters=rotary)


GPT2 = {"vocab_size": VOCABULARY, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": 512, "initializer_range": 0.2}
OPT = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "ffn_dim": 48, "num_attention_heads": 4}
OPT |= {"max_position_embeddings": 512, "word_embed_proj_dim": 32, "init_std": 0.2}
BLOOM = {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 2, "n_head": 4, "initializer_range": 0.2}
STATE = {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 4}
JAMBA = {"attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2, "expert_layer_offset": 1}
LATENT = {"kv_lora_rank": 8, "q_lora_rank": 8, "qk_rope_head_dim": 4, "qk_nope_head_dim": 8, "v_head_dim": 6}

ATTENTION = {
    "llama": maker("LlamaForCausalLM", "LlamaConfig"),
    "qwen2": maker("Qwen2ForCausalLM", "Qwen2Config"),
    "qwen3": maker("Qwen3ForCausalLM", "Qwen3Config", head_dim=8),
    "mistral": maker("MistralForCausalLM", "MistralConfig", sliding_window=8),
    "gemma2": maker(
        "Gemma2ForCausalLM", "Gemma2Config", **ALTERNATING, head_dim=8, sliding_window=8, final_logit_softcapping=3.0
    ),
    "gemma3": maker("Gemma3ForCausalLM", "Gemma3TextConfig", **ALTERNATING, head_dim=8, sliding_window=8),
    "gpt_oss": maker(
        "GptOssForCausalLM", "GptOssConfig", num_local_experts=4, num_experts_per_tok=2, head_dim=8, sliding_window=8
    ),
    "mixtral": maker("MixtralForCausalLM", "MixtralConfig", num_local_experts=4),
    "qwen3_moe": maker("Qwen3MoeForCausalLM", "Qwen3MoeConfig", **EXPERTS, head_dim=8),
    "granite": maker("GraniteForCausalLM", "GraniteConfig", logits_scaling=2.0, residual_multiplier=0.5),
    "cohere": maker("CohereForCausalLM", "CohereConfig", logit_scale=0.3),
    "llama4": maker(
        "Llama4ForCausalLM",
        "Llama4TextConfig",
        attention_chunk_size=8,
        num_local_experts=2,
        head_dim=8,
        intermediate_size_mlp=48,
    ),
    "deepseek_v3": maker(
        "DeepseekV3ForCausalLM",
        "DeepseekV3Config",
        num_key_value_heads=4,
        n_routed_experts=4,
        n_group=1,
        topk_group=1,
        num_experts_per_tok=2,
        moe_intermediate_size=16,
        **LATENT,
    ),
    "gpt2": maker("GPT2LMHeadModel", "GPT2Config", GPT2),
    "opt": maker("OPTForCausalLM", "OPTConfig", OPT),
    "bloom": maker("BloomForCausalLM", "BloomConfig", BLOOM),
}
STATEFUL = {
    "lfm2": maker("Lfm2ForCausalLM", "Lfm2Config", layer_types=["conv", "full_attention"]),
    "qwen3_next": maker(
        "Qwen3NextForCausalLM", "Qwen3NextConfig", **EXPERTS, **LINEAR, head_dim=8, shared_expert_intermediate_size=16
    ),
    "falcon_h1": maker("FalconH1ForCausalLM", "FalconH1Config", **MAMBA2, mamba_d_ssm=32, mamba_n_heads=4),
    "granite_hybrid": maker(
        "GraniteMoeHybridForCausalLM",
        "GraniteMoeHybridConfig",
        **MAMBA2,
        layer_types=["mamba", "attention"],
        mamba_n_heads=8,
        num_local_experts=2,
        num_experts_per_tok=1,
        shared_intermediate_size=16,
    ),
    "mamba2": maker("Mamba2ForCausalLM", "Mamba2Config", STATE, num_heads=8, head_dim=8, n_groups=1, chunk_size=8),
}
FORGETFUL = {
    "mamba": maker("MambaForCausalLM", "MambaConfig", STATE),
    "jamba": maker("JambaForCausalLM", "JambaConfig", **JAMBA, num_experts=2, mamba_d_state=4, mamba_dt_rank=4),
}
OWN_CACHE = {
    "xlstm": maker(
        "xLSTMForCausalLM",
        "xLSTMConfig",
        {"vocab_size": VOCABULARY, "hidden_size": 32, "num_hidden_layers": 2},
        num_heads=2,
    ),
}
