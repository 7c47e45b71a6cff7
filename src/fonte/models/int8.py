"""A cross-encoder computed in eight bits by ONNX Runtime, which on a CPU is two to three times as fast as float32.

Weights are int8 per output channel, in seven bits, so that no processor's 16-bit sums overflow; activations are scaled
as they come (dynamic quantisation). Embeddings, attention, norms and the head stay in float32. The converted model is
made from the safetensors once and kept in the user's cache: an ONNX file from elsewhere is never opened.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fonte.errors import MissingExtraError, ModelError
from fonte.models.folder import user_cache
from fonte.models.loading import quiet

try:
    import numpy as np
    import torch
    from transformers.modeling_outputs import SequenceClassifierOutput
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "transformers"), "local") from None

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

VERSION = 1  # of the conversion: a change here converts anew
MADE_WITH = ("onnx", "onnxruntime", "onnxscript")


def to_int8(model: CrossEncoder, fingerprint: str) -> None:
    """Compute the transformer of `model` in int8 from now on; `fingerprint` names its weights.

    Converts once per model (10 to 20 seconds for six layers), then opens what is kept. Scores move by some thousandths
    of their spread. The model cannot be trained afterwards. Errors: `MissingExtraError` without the extra `onnx`;
    `ModelError` for a model that is no classifier.
    """
    module: Any = model[0]
    if len(model) > 1 or not type(module.model).__name__.endswith("ForSequenceClassification"):
        raise ModelError("Only classifiers with one score can be computed in int8; this one generates. Use float32.")
    file = user_cache() / "int8" / f"{fingerprint}-{VERSION}.onnx"
    if not file.is_file():
        export_int8(model, file)
    module.model = OnnxModel(module.model.config, file)


def export_int8(model: CrossEncoder, file: Path) -> Path:
    """Write the transformer of `model` in int8 to `file`, for `fonte` or any other program that reads ONNX.

    Inputs are those of its tokenizer, int64 [batch, tokens]; the output `scores` is float32 [batch, 1], before the
    activation. The file appears whole or not at all. Errors: `MissingExtraError` without the extra `onnx`.
    """
    _require()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".int8-") as folder, quiet(), _unheard():
        plain, small = Path(folder) / "float32.onnx", Path(folder) / "int8.onnx"
        export(model, plain)
        quantize_dynamic(
            plain,
            small,
            op_types_to_quantize=["MatMul"],
            nodes_to_exclude=_exact(plain, int(getattr(model[0].model.config, "intermediate_size", 0))),
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
        small.replace(file)
    return file


def export(model: CrossEncoder, file: Path) -> None:
    """Write the transformer of `model` in float32 to `file`, with the inputs and the output of `export_int8`."""
    module: Any = model[0]
    example = dict(model.tokenizer([["a question", "a passage of text"]] * 2, padding=True, return_tensors="pt"))
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=int(model.max_seq_length or 512))
    returned, module.model.config.return_dict = module.model.config.return_dict, False
    try:
        torch.onnx.export(
            module.model,
            (),
            str(file),
            kwargs=example,
            input_names=list(example),
            output_names=["scores"],
            dynamic_shapes={name: {0: batch, 1: length} for name in example},
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    finally:
        module.model.config.return_dict = returned


class OnnxModel(torch.nn.Module):
    """Stands where the transformer stood: the same inputs and the same output, through ONNX Runtime."""

    def __init__(self, config: Any, file: Path) -> None:
        super().__init__()
        _require()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        options.log_severity_level = 3
        self.config = config
        self.place = torch.nn.Parameter(torch.empty(0), requires_grad=False)  # says on which device it is: the CPU
        self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        self._inputs = [each.name for each in self._session.get_inputs()]

    @property
    def device(self) -> torch.device:
        """The device that inputs have to be on."""
        return self.place.device

    def forward(self, **inputs: Any) -> SequenceClassifierOutput:
        """Return the scores before the activation, `logits` float32 [batch, 1]."""
        given = {name: np.asarray(inputs[name].numpy(), np.int64) for name in self._inputs}
        return SequenceClassifierOutput(logits=torch.from_numpy(self._session.run(None, given)[0]))


def _exact(file: Path, intermediate: int) -> list[str]:
    """Return the products that stay in float32: out of the wide inner layers, in the last third of the model.

    Few of their inputs are far larger than all others, and one scale for all rounds the small ones away (Bondarenko et
    al. 2021, arXiv 2109.12948).
    """
    import onnx

    graph = onnx.load(file).graph
    wide = {each.name for each in graph.initializer if len(each.dims) == 2 and each.dims[0] == intermediate}
    found = [node.name for node in graph.node if node.op_type == "MatMul" and wide & set(node.input)]
    return found[len(found) - len(found) // 3 :]


@contextmanager
def _unheard() -> Iterator[None]:
    """Keep the exporters' remarks about themselves off the terminal."""
    import logging
    import warnings

    known = logging.root.manager.disable
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.disable(known)


def _require() -> None:
    from importlib.util import find_spec

    for name in MADE_WITH:
        if find_spec(name) is None:
            raise MissingExtraError(name, "onnx")
