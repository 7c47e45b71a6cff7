"""Question sets, answers and runs in files: reading, writing, and measuring what any system wrote."""

from fonte.evaluation.answers import AnswerCitation, GivenAnswer, read_answers
from fonte.evaluation.beir import (
    BeirDocument,
    read_beir_corpus,
    read_beir_qrels,
    read_beir_questions,
    write_beir,
)
from fonte.evaluation.cited_answers import cited_answer
from fonte.evaluation.formats import FORMATS
from fonte.evaluation.measuring import Choices, Measured, Scorer, measure_answers
from fonte.evaluation.mramg import MramgDocument, PlacedImage, read_mramg_documents, read_mramg_questions
from fonte.evaluation.questions import GoldSpan, Question, QuestionPassage, read_questions, write_questions
from fonte.evaluation.ranking import measure_run, qrels_of
from fonte.evaluation.ranx_files import read_ranx_qrels, read_ranx_run, write_ranx
from fonte.evaluation.runs import read_qrels, read_run
from fonte.evaluation.trec import Qrels, Run, read_trec_qrels, read_trec_run, write_trec_qrels, write_trec_run

__all__ = [
    "FORMATS",
    "AnswerCitation",
    "BeirDocument",
    "Choices",
    "GivenAnswer",
    "GoldSpan",
    "Measured",
    "MramgDocument",
    "PlacedImage",
    "Qrels",
    "Question",
    "QuestionPassage",
    "Run",
    "Scorer",
    "cited_answer",
    "measure_answers",
    "measure_run",
    "qrels_of",
    "read_answers",
    "read_beir_corpus",
    "read_beir_qrels",
    "read_beir_questions",
    "read_mramg_documents",
    "read_mramg_questions",
    "read_qrels",
    "read_questions",
    "read_ranx_qrels",
    "read_ranx_run",
    "read_run",
    "read_trec_qrels",
    "read_trec_run",
    "write_beir",
    "write_questions",
    "write_ranx",
    "write_trec_qrels",
    "write_trec_run",
]
