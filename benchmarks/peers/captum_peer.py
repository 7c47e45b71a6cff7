"""captum 0.9.0's feature ablation on one job; run in its own environment: leave-one-out, one answer after the other.

`peer` in the job chooses how captum scores: `captum` takes the whole answer in one pass per ablation, its fastest way
that is right; `captum defaults` takes what a user gets who sets nothing.
"""

from typing import Any

import job as jobs
import torch


def program(job: dict[str, Any], model: Any, tokenizer: Any) -> tuple[list[list[bool]], list[list[float]]]:
    """Attribute every answer; captum tells differences only, so the value of the full prompt is set to 0."""
    from captum.attr import FeatureAblation, LLMAttribution, TextTemplateInput

    def template(*passages: str) -> str:
        messages = [{"role": "user", "content": job["head"] + "".join(passages) + job["tail"]}]
        return tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)

    count = len(job["passages"])
    attribution = LLMAttribution(FeatureAblation(model), tokenizer)
    options = {} if job["peer"] == "captum defaults" else {"forward_in_tokens": False, "use_cached_outputs": False}
    columns = []
    for answer in job["answers"]:
        inputs = TextTemplateInput(template, job["passages"], baselines=[""] * count)
        result = attribution.attribute(inputs, torch.tensor(answer), **options)
        columns.append([0.0, *(-effect for effect in result.seq_attr.flatten().tolist())])
    masks = [[True] * count] + [[other != passage for other in range(count)] for passage in range(count)]
    return masks, [list(row) for row in zip(*columns, strict=True)]


if __name__ == "__main__":
    jobs.run(program)
