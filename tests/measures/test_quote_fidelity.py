import pytest

from fonte.measures import Quoted, quote_fidelity, quote_verdict

SOURCE = (
    "The air filter must be cleaned every 30 days. Never use water above 40 °C.\n"
    "In case of “steam”, switch off the de-\nvice and wait for ten minutes. 保修期为两年。"
)
OTHER = "The warranty ends after two years."


@pytest.mark.parametrize(
    ("quote", "verdict"),
    [
        ("The air filter must be cleaned every 30 days.", "verbatim"),
        ("the air filter must be cleaned every 30 days", "verbatim"),
        ("“The air filter must be cleaned every 30 days”", "verbatim"),
        ('In case of "steam", switch off the device', "verbatim"),
        ("The air filter … every 30 days", "verbatim"),
        ("The air filter [...] above 40 °C", "verbatim"),
        ("every 30 days … The air filter", "stitched"),
        ("保修期为两年", "verbatim"),
        ("every 3", "fabricated"),
        ("filter must be cleaned every 3", "fabricated"),
        ("The warranty ends after two years.", "misattributed"),
        ("The air filter must be cleaned with water above 40 °C", "fabricated"),
        ("The air filter must be never use water above", "stitched"),
        ("Use only original parts", "fabricated"),
        ("", "fabricated"),
        ("…", "fabricated"),
        ("...", "fabricated"),
    ],
)
def test_verdicts(quote, verdict):
    assert quote_verdict(Quoted(quote, SOURCE, (OTHER,))) == verdict


def test_share_of_verbatim_quotes():
    quotes = [Quoted("air filter", SOURCE), Quoted("nothing of it", SOURCE)]
    assert quote_fidelity(quotes).value == 0.5
    assert quote_fidelity([]).status == "not_applicable"
    assert quote_fidelity([Quoted("x", "")]).value == 0
