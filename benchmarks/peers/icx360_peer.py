"""icx360 0.1.0's C-LIME on one job; run in its own environment. It draws its masks itself, as many as the job has."""

import tempfile
from typing import Any

import job as jobs
import numpy as np
import spacy
import torch


def program(job: dict[str, Any], model: Any, tokenizer: Any) -> tuple[list[list[bool]], list[list[float]]]:
    """Explain every answer, and keep the targets that the fit is given."""
    from icx360.algorithms.mexgen import CLIME
    from icx360.algorithms.mexgen import clime as module
    from icx360.utils.model_wrappers import GeneratedOutput, HFModel

    seen: dict[str, Any] = {}
    fit, sample = module.fit_linear_model, module.sample_subsets

    def watched_fit(features: Any, target: Any, *rest: Any) -> Any:
        seen["features"], seen["target"] = features, target
        return fit(features, target, *rest)

    module.fit_linear_model, module.sample_subsets = watched_fit, sample
    pipeline = spacy.blank("en")
    pipeline.add_pipe("sentencizer")
    with tempfile.TemporaryDirectory() as folder:
        pipeline.to_disk(folder)
        explainer = CLIME(HFModel(model, tokenizer), segmenter=folder)
    units = [job["head"], *job["passages"], job["tail"]]
    types = ["n", *["p"] * len(job["passages"]), "n"]
    columns = []
    for answer in job["answers"]:
        output = GeneratedOutput(output_ids=torch.tensor([answer]), output_text=[tokenizer.decode(answer)])
        explainer.explain_instance(
            units,
            types,
            output_orig=output,
            ind_segment=False,
            model_params={"chat_template": True},
            # rounded up to one ablation per mask, the full context apart
            oversampling_factor=(len(job["masks"]) - 1.5) / len(job["passages"]),
            scalarize_params={"transformation": "log_prob_sum"},
        )
        columns.append(np.asarray(seen["target"], dtype=float).tolist())
    masks = (np.asarray(seen["features"])[:, 1:-1] == 0).tolist()
    return masks, [list(row) for row in zip(*columns, strict=True)]


if __name__ == "__main__":
    jobs.run(program)
