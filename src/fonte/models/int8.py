"""A cross-encoder computed in eight bits by ONNX Runtime, which on a CPU is faster than float32.

Weights are int8 per output channel, in seven bits, so that no processor's 16-bit sums overflow; activations are scaled
as they come (dynamic quantisation). Embeddings, norms, the products of attention, the head and half of the last layer
stay in float32. The converted model is made from the safetensors once and kept in the user's cache: an ONNX file from
elsewhere is never opened.
"""

from __future__ import annotations

import logging
import tempfile
import threading
import warnings
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fonte.errors import MissingExtraError, ModelError
from fonte.models.folder import user_cache
from fonte.models.loading import quiet

try:
    import numpy as np
    import numpy.typing as npt
    import torch
    from transformers.modeling_outputs import SequenceClassifierOutput
except ImportError as missing:
    raise MissingExtraError(str(missing.name or "transformers"), "local") from None

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

VERSION = 1  # of the conversion: a change here converts anew
MADE_WITH = ("onnx", "onnxruntime", "onnxscript")
TALKATIVE = ("torch.onnx", "onnxscript", "onnx_ir", "torch.export")
_ONE_AT_A_TIME = threading.Lock()  # warnings and loggers are the process's own


def to_int8(model: CrossEncoder, fingerprint: str) -> None:
    """Compute the transformer of `model` in int8 from now on; `fingerprint` names weights and configuration.

    Converts once per model (10 to 20 seconds for six layers), then opens what is kept; a kept file that does not open
    is made again. The model cannot be trained or saved afterwards. Errors: `MissingExtraError` without the extra
    `onnx`; `ModelError` for a model that is no classifier.
    """
    module: Any = model[0]
    if len(model) > 1 or not type(module.model).__name__.endswith("ForSequenceClassification"):
        raise ModelError("Only classifiers with one score can be computed in int8; this one generates. Use float32.")
    _require()
    file = user_cache() / "int8" / f"{fingerprint}-{_conversion()}.onnx"
    with _ONE_AT_A_TIME:
        if not file.is_file():
            export_int8(model, file)
        try:
            module.model = OnnxModel(module.model.config, file)
        except Exception:  # noqa: BLE001 - ONNX Runtime raises a class of its own per kind of damage
            file.unlink()
            module.model = OnnxModel(module.model.config, export_int8(model, file))


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
            nodes_to_exclude=_exact(plain, int(model[0].model.config.num_hidden_layers)),
            per_channel=True,
            reduce_range=True,
            weight_type=QuantType.QInt8,
        )
        small.replace(file)
    return file


class OnnxModel(torch.nn.Module):
    """Stands where the transformer stood: the same inputs and the same output, through ONNX Runtime."""

    def __init__(self, config: Any, file: Path) -> None:
        super().__init__()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self.config = config
        self.place = torch.nn.Parameter(torch.empty(0), requires_grad=False)  # says on which device it is: the CPU
        self._session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])
        self._inputs = [each.name for each in self._session.get_inputs()]
        # One pair per thread: a pair is too small to be shared out.
        self._threads = ThreadPoolExecutor(torch.get_num_threads(), "fonte-int8")

    @property
    def device(self) -> torch.device:
        """The device that inputs have to be on."""
        return self.place.device

    def forward(self, **inputs: Any) -> SequenceClassifierOutput:
        """Return the scores before the activation, `logits` float32 [batch, 1].

        Pairs go through one by one and without padding: activations are scaled by what is computed together, and a
        pair's score must not depend on its company.
        """
        given = {name: np.asarray(inputs[name].numpy(), np.int64) for name in self._inputs}
        kept = np.asarray(inputs["attention_mask"].numpy(), bool)

        def score(row: int) -> npt.NDArray[np.float32]:
            pair = {name: values[row : row + 1, kept[row]] for name, values in given.items()}
            scored: npt.NDArray[np.float32] = self._session.run(None, pair)[0]
            return scored

        rows = list(self._threads.map(score, range(len(kept))))
        return SequenceClassifierOutput(logits=torch.from_numpy(np.concatenate(rows)))


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


def _exact(file: Path, layers: int) -> list[str]:
    """Return the products that stay in float32: the head, and the second half of the last of `layers` layers.

    There few values are far larger than all others, and one scale for all rounds the small ones away (Bondarenko et
    al. 2021, arXiv 2109.12948), with nothing behind it that would mend that.
    """
    import onnx

    graph = onnx.load(file).graph
    weights = {each.name for each in graph.initializer if len(each.dims) == 2}
    products = [node.name for node in graph.node if node.op_type == "MatMul" and weights & set(node.input)]
    # ONNX Runtime makes a product and a sum of each of these before it looks at the names.
    head = [name for node in graph.node if node.op_type == "Gemm" for name in (node.name, f"{node.name}_MatMul")]
    return head + products[len(products) - len(products) // max(layers, 1) // 2 :]


def _conversion() -> str:
    """Return what a conversion depends on beside the model: its version here, and those of the packages."""
    return "-".join([str(VERSION), *(version(name) for name in ("torch", "transformers", *MADE_WITH))])


@contextmanager
def _unheard() -> Iterator[None]:
    """Keep the exporters' remarks about themselves off the terminal."""
    loggers = [logging.getLogger(name) for name in TALKATIVE]
    levels = [each.level for each in loggers]
    for each in loggers:
        each.setLevel(logging.ERROR)
    quantising = _WithoutAdvice()
    logging.root.addFilter(quantising)  # onnxruntime's quantiser speaks through the root logger
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.root.removeFilter(quantising)
        for each, level in zip(loggers, levels, strict=True):
            each.setLevel(level)


class _WithoutAdvice(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        """Drop what the quantiser says to whoever runs it by hand."""
        return "onnxruntime" not in record.pathname


def _require() -> None:
    from importlib.util import find_spec

    for name in MADE_WITH:
        if find_spec(name) is None:
            raise MissingExtraError(name, "onnx")
