"""The prompt, the answer as a stream of events, and the probe that says which mode suits a model."""

from fonte.generation.events import Event, fold
from fonte.generation.prompt import PromptedQuestion, build_prompt

__all__ = ["Event", "PromptedQuestion", "build_prompt", "fold"]
