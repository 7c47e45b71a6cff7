from fonte.attribution.duplicates import near_duplicates
from fonte.attribution.redundancy import redundant_group


def test_same_words_are_one_group_whatever_case_and_punctuation():
    texts = ["The table is 120 cm wide.", "A chair.", "the TABLE, is 120 cm wide", "The lamp is red and quite tall."]
    assert near_duplicates(texts) == [(0, 2)]


def test_a_text_inside_a_longer_one_is_its_duplicate():
    assert near_duplicates(["one two three four five", "zero one two three four five six seven"]) == [(0, 1)]


def test_blank_texts_are_in_no_group():
    assert near_duplicates(["", " ", "...", "a b c d", "\x00"]) == []


def test_short_texts_are_compared_whole():
    assert near_duplicates(["Rome", "rome!", "Paris", "Rome is"]) == [(0, 1)]


def test_chains_are_one_group():
    first = "a b c d e f g h i j"
    second = "d e f g h i j k l m"
    third = "g h i j k l m n o p"
    assert near_duplicates([first, second, third], share=0.6) == [(0, 1, 2)]


def needs(*sets):
    """A game: the answer falls by 1 once every passage of one of the sets is gone... from each set."""
    asked = []

    def joint(passages):
        asked.append(tuple(passages))
        return float(sum(set(each) <= set(passages) for each in sets)), 0.1

    return joint, asked


def test_the_two_passages_that_replace_each_other_are_found():
    joint, asked = needs({3, 11})
    group = redundant_group(range(16), joint)
    assert group is not None
    assert group.passages == (3, 11)
    assert not group.same_text
    assert len(asked) <= 18


def test_three_that_replace_each_other():
    joint, _ = needs({0, 4, 5})
    group = redundant_group(range(8), joint)
    assert group is not None
    assert group.passages == (0, 4, 5)


def test_what_does_nothing_together_is_no_group():
    joint, asked = needs()
    assert redundant_group(range(10), joint) is None
    assert len(asked) == 1
    assert redundant_group([4], joint) is None
    assert redundant_group([], joint) is None


def test_a_search_that_runs_out_of_time_keeps_the_group_it_has():
    calls = []

    def joint(passages):
        calls.append(1)
        return (1.0, 0.1) if len(calls) == 1 else (None, 0.0)

    group = redundant_group(range(4), joint)
    assert group is not None
    assert group.passages == (0, 1, 2, 3)


def test_an_effect_that_all_share_a_little_is_no_group():
    asked = []

    def joint(passages):
        asked.append(1)
        return len(passages) * 0.1, 0.2

    assert redundant_group(range(20), joint) is None
    assert len(asked) <= 25
