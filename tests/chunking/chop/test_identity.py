"""What a document is called, and where that came from."""

from fonte.chunking.chop import Identity, discriminating, identify


def test_title_page_and_file_name_agree_on_the_name():
    found = identify("Lumetti Ardesa 210 user manual", "manuals/Ardesa_210.pdf", (), ())
    assert found == Identity((("model", "Ardesa 210"),), (("model", "title"),))


def test_the_cover_is_a_title_where_there_is_none():
    found = identify("", "scan0007.txt", (), ["Ardesa 210\nUser Guide", "Contents"])
    assert (found.get("model"), dict(found.sources)["model"]) == ("Ardesa 210", "title")


def test_sources_in_order():
    assert dict(identify("", "Corvo_12.txt", ("Ardesa 210 user manual",), ["Some text."]).sources) == {
        "model": "file name"
    }
    assert identify("", "x.txt", ("Ardesa 210 user manual",), ["Some text."]).get("model") == "Ardesa 210"
    late = identify("", "x.txt", (), ["The appliance cooks.", "Technical data. Model: R400, 230 V"])
    assert (late.get("model"), dict(late.sources)["model"]) == ("R400", "text")


def test_nothing_is_made_up():
    assert identify("", "", (), ()) == Identity()
    assert identify("User manual", "scan.pdf", (), ["The appliance cooks."]) == Identity()


def test_the_kind_of_thing_that_a_title_states():
    assert identify("Ventalba 250: room air heat pump", "", (), ()).get("category") == "room air heat pump"
    assert identify("Ventalba 250: Installation and user manual", "", (), ()).get("category") == ""


def test_what_all_documents_share_says_nothing():
    def identity(model, category):
        return Identity((("category", category), ("model", model)))

    alike = [identity(f"K{number}", "oven") for number in range(10)]
    assert discriminating(alike) == ("model",)
    assert discriminating([*alike[:6], *(identity(f"P{n}", "pump") for n in range(4))]) == ("category", "model")
    assert discriminating(alike[:2]) == ("category", "model")
    assert discriminating([]) == ()
