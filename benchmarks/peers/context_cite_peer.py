"""context-cite 0.0.4 on one job; run in its own environment. It draws its masks itself: seeds 0, 1, 2, ..."""

from typing import Any

import job as jobs
import numpy as np


def program(job: dict[str, Any], model: Any, tokenizer: Any) -> tuple[list[list[bool]], list[list[float]]]:
    """Score every answer; the prompt is the job's, the given answer takes the place of the generated one."""
    from context_cite import ContextCiter
    from context_cite.context_partitioner import BaseContextPartitioner
    from context_cite.utils import aggregate_logit_probs

    class Passages(BaseContextPartitioner):
        num_sources = len(job["passages"])

        def split_context(self) -> None:
            """The passages are given."""

        def get_source(self, index: int) -> str:
            return job["passages"][index]

        def get_context(self, mask: Any = None) -> str:
            kept = range(self.num_sources) if mask is None else np.flatnonzero(mask)
            return "".join(job["passages"][number] for number in kept)

    template = job["head"] + "{context}" + job["tail"] + "{query}"
    context = "".join(job["passages"])
    masks, columns = [], []
    for answer in job["answers"]:
        citer = ContextCiter(
            model,
            tokenizer,
            context,
            "",
            num_ablations=len(job["masks"]),
            prompt_template=template,
            partitioner=Passages(context),
        )
        _, prompt = citer._get_prompt_ids(return_prompt=True)
        citer._cache["output"] = prompt + tokenizer.decode(answer)
        if list(citer._response_ids) != answer:
            raise ValueError("the answer is not tokenised alike")
        citer.get_attributions(verbose=False)
        masks = citer._masks.tolist()
        columns.append(aggregate_logit_probs(citer._logit_probs, "log_prob").tolist())
    return masks, [list(row) for row in zip(*columns, strict=True)]


if __name__ == "__main__":
    jobs.run(program)
