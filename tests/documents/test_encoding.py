from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fonte.documents.encoding import decode
from fonte.documents.reading import UnreadableError
from tests.documents.making import ARABIC, CHINESE, GERMAN, JAPANESE, SCRIPTS

FRENCH = "Le réglage de la température s'effectue à l'aide du bouton situé à gauche, même l'été."
LEGACY = {
    "german": (GERMAN, "cp1252"),
    "quotes": ("Drücken Sie die „rote“ Taste – 5 € Gebühr.", "cp1252"),
    "french": (FRENCH, "cp1252"),
    "spanish": ("El año pasado la compañía señaló que la máquina no funcionará más allá de mañana.", "cp1252"),
    "italian": ("La libertà è più importante della felicità, perché così si può.", "cp1252"),
    "portuguese": ("A instalação não é necessária; são três opções de configuração.", "cp1252"),
    "swedish": ("Maskinen får inte användas nära öppen låga på grund av säkerhetsrisker.", "cp1252"),
    "czech": ("Stiskněte tlačítko pro nastavení teploty, žluoučký kůň příliš dlouho úpěl.", "cp1250"),
    "polish": ("Naciśnij przycisk, aby ustawić temperaturę. Zażółć gęślą jaźń.", "cp1250"),
    "hungarian": ("Nyomja meg a gombot a hőmérséklet beállításához, fűtés és hűtés.", "cp1250"),
    "turkish": ("Sıcaklığı ayarlamak için düğmeye basın. Güvenlik talimatları şunlardır.", "cp1254"),
    "dos": ("Die Größe der Öffnung beträgt fünf Zentimeter", "cp850"),
    "mac": (FRENCH, "mac_roman"),
    "japanese": (JAPANESE, "cp932"),
    "japanese unix": (JAPANESE, "euc_jp"),
    "japanese mail": (JAPANESE, "iso2022_jp"),
    "chinese": (CHINESE, "gb18030"),
    "chinese traditional": ("請按下按鈕設定溫度。產品使用說明書。", "big5"),
    "korean": ("온도를 설정하려면 버튼을 누르십시오.", "cp949"),
    "russian": ("Нажмите кнопку, чтобы установить температуру.", "cp1251"),
    "russian unix": ("Нажмите кнопку, чтобы установить температуру.", "koi8_r"),
    "greek": ("Πατήστε το κουμπί για να ρυθμίσετε τη θερμοκρασία.", "cp1253"),
    "arabic": (ARABIC, "cp1256"),
}


@pytest.mark.parametrize("repeat", [1, 30])
@pytest.mark.parametrize(("text", "encoding"), LEGACY.values(), ids=LEGACY)
def test_legacy_encodings_come_out_right_and_are_recorded(text, encoding, repeat):
    decoded = decode(((text + "\n") * repeat).encode(encoding))
    assert decoded.text == (text + "\n") * repeat
    assert decoded.metadata["encoding"] == decoded.encoding != "utf-8"


@pytest.mark.parametrize("word", ["Café", "naïve Größe", "Überprüfung", "für", "a é b", "Äpfel, Öl"])
def test_a_single_word_with_an_accent_is_western(word):
    assert decode(word.encode("latin-1")).text == word


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"])
def test_unicode_encodings(encoding):
    text = "A plain beginning of a file.\n" * 5 + "\n".join(SCRIPTS)
    data = text.encode(encoding)
    assert decode(data).text == text


def test_the_whole_file_decides():
    """markitdown#1505: a file that is ASCII for its first megabyte and not UTF-8 after that."""
    text = "plain line of text\n" * 60_000 + GERMAN
    assert decode(text.encode("cp1252")).text == text
    assert decode((text + CHINESE).encode()).text == text + CHINESE


def test_undefined_bytes_of_cp1252_fall_back_to_latin_1():
    assert decode(b"na\xefve caf\xe9 and so on " * 40 + b"\x81").encoding == "latin-1"


def test_a_close_guess_names_the_alternatives():
    assert "cp1250" in decode(GERMAN.encode("cp1252")).metadata["encoding_alternatives"]


def test_what_a_file_declares_is_believed_where_it_fits():
    assert decode("за".encode("koi8-r"), "koi8-r").text == "за"
    assert decode("für".encode(), "koi8-r").text == "für"
    assert decode("für".encode("latin-1"), "no such encoding").text == "für"
    assert decode("für".encode("latin-1"), "hex").text == "für"


@pytest.mark.parametrize(
    "data",
    [bytes(5000), bytes(range(256)) * 20, b"\x89PNG\r\n\x1a\n" + bytes(range(200)) * 9, b"\x7fELF" + bytes(500)],
    ids=["zeros", "all bytes", "png", "elf"],
)
def test_binary_data_is_refused(data):
    with pytest.raises(UnreadableError, match="binary"):
        decode(data)


@given(st.binary(max_size=300))
def test_any_bytes_give_text_or_a_reason(data):
    with suppress(UnreadableError):
        assert isinstance(decode(data).text, str)


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1))
def test_utf8_always_comes_back(text):
    assert decode(text.encode()).text == text.removeprefix("\ufeff")
