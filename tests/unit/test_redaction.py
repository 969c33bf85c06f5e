"""What is a secret is shown to nobody, and ordinary words stay as they are."""

from __future__ import annotations

import json
import string
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.redaction import MASK, is_secret, masked, masked_text

HEX = "0123456789abcdef"
SIGN = "9/"  # what is drawn beside a secret has neither, so nothing drawn there can be the secret itself
TOKENS = {
    "slack bot": "xo" + "xb-123456789012-abcDEF",
    "slack rotated": "xo" + "xe.xo" + "xp-1-Mi0yLTEyMzQ",
    "slack app": "xa" + "pp-1-A012-345-abcdef",
    "claude": "s" + "k-ant-api03-aBcD_eFg-1234",
    "openai": "s" + "k-" + "aB3" * 10,
    "stripe": "s" + "k_live_" + "aB3dE5fG7h",
    "aws": "AK" + "IA" + "ABCDEFGHIJKLMNOP",
    "github": "gh" + "p_" + "aB3" * 12,
    "github fine": "github" + "_pat_" + "aB3" * 12,
    "gitlab": "gl" + "pat-" + "aB3dE5fG7hJ9kL1mN3pQ",
    "google": "AI" + "za" + "SyA-1234567890_abcdefghijklmnopqrstuv",
    "jwt": "ey" + "JhbGciOiJIUzI1NiJ9.ey" + "JzdWIiOiIxMjM0In0.dBjftJeZ4CVP-mB92K27uhbUJU1p1r",
    "key": "-----BEGIN RSA " + "PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA " + "PRIVATE KEY-----",
}
IN_TEXT = {
    "an address": ("postgres://app:{}@db.internal:5432/main", "hunter2"),
    "an address without a user": ("redis://:{}@cache:6379/0", "p@ss:w0rd"),
    "a variable": ("DATABASE_PASSWORD={} PORT=5000", "hunter2"),
    "json": ('{{"user": "bob", "api_key": "{}"}}', "open sesame"),
    "json in json": ('"{{\\"client_secret\\": \\"{}\\"}}"', "open sesame"),
    "python": ("{{'token': '{}', 'n': 1}}", "abc"),
    "a flag": ("mysql -u root --password {} -h db", "hunter2"),
    "a flag with =": ("login --token={}", "abc"),
    "a query": ("https://api.test/v1?access_token={}&page=2", "a.b-c"),
    "a header": ("Authorization: Basic {}", "dXNlcjpwYXNz"),
    "a bearer": ("curl -H 'Bearer {}'", "abcdefgh12345678ijkl"),
    "a cookie": ("Set-Cookie: {}", "session=abc; Path=/"),
    "a sentence": ("the password: {} is new", "hunter2"),
    "a line in a literal": ("one\\npassword={}", "abc"),
    "a text that was cut": ('{{"password": "{}', "hunter"),
    "a hook": ("https://hooks.slack.com/services/{} is ours", "T0123/B0456/abcdef"),
}
ORDINARY = (
    "The token count is 1,204 of max_tokens=16000 and tokens: 88.",
    "Is a password required? password: required, secret_name: prod-db-2026, api_key_id=7",
    "Bearer of good news, and a basic understanding-of-authentication.",
    "task-1234567890abcdefghijklmnop, risk-averse, sk-learn-feature-extraction-v2",
    "if password == None: raise KeyError",
    "password = get_password(user)  # token = request.headers",
    "see https://example.com:8080/@user and http://[::1]:80/a@b, or write to ann@example.com",
    "commit 3a7bd3e2360a3d29eea436fcfb7e44c735d117c4 of 2026-11-29, id 0b8f1c1e-7e5c-4a57-a1c2-123456789012",
    "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
    "secretary: 12345678, tokenizer=fast, cookiecutter, keys: a, b",
    "T1/C1/1700000000.000100 r0b8f1c1e7e5c w0123456789abcdef",
)

names = st.sampled_from(
    ["password", "apiKey", "x-api-key", "DB_PASS", "client_secret", "Authorization", "refresh_token"]
)
plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(string.ascii_letters + " .,!", max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(string.ascii_lowercase, max_size=6), inner),
    max_leaves=8,
)
words = st.lists(st.text(string.ascii_lowercase, min_size=1, max_size=9), max_size=12).map(" ".join)
shas = st.text(HEX, min_size=40, max_size=40)


@st.composite
def around(draw: st.DrawFn, secret: st.SearchStrategy[str]) -> tuple[str, Any]:
    """A secret somewhere within a value: under a name that tells, or by its form in a text."""
    if draw(st.booleans()):
        hidden = SIGN + draw(st.text(string.ascii_letters + string.digits + "/+ ", min_size=8, max_size=30))
        value: Any = {draw(names): draw(st.sampled_from([hidden, [hidden], {"inside": hidden}]))}
    else:
        hidden = draw(secret)
        value = f"{draw(words)} {hidden} {draw(words)}"
    for _ in range(draw(st.integers(0, 3))):
        value = draw(st.sampled_from([[draw(plain), value], {"a": value, "b": draw(plain)}]))
    return hidden, value


@pytest.mark.clause("SEC-2")
@settings(deadline=None)
@given(around(st.sampled_from(sorted(TOKENS.values()))))
def test_a_secret_anywhere_in_a_value_is_masked_and_the_shape_stays(given_: tuple[str, Any]) -> None:
    hidden, value = given_
    shown = masked(value)

    assert hidden not in json.dumps(shown, ensure_ascii=False)
    assert MASK in json.dumps(shown)
    assert masked(shown) == shown
    assert _shape(shown) == _shape(value)


@pytest.mark.clause("SEC-2")
@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS.keys())
@pytest.mark.parametrize(
    "around_", ["{}", "see {}.", "({})", "a={}", "\n{}\n", "x\\n{}", "<https://a.test/{}|x>", "'{}'"]
)
def test_a_token_is_known_by_its_form(token: str, around_: str) -> None:
    assert token not in masked_text(around_.format(token))
    assert len(masked_text(around_.format(token))) <= len(around_) + 2


@pytest.mark.clause("SEC-2")
@pytest.mark.parametrize(("text", "secret"), IN_TEXT.values(), ids=IN_TEXT.keys())
def test_a_secret_in_running_text_is_known_by_what_stands_before_it(text: str, secret: str) -> None:
    shown = masked_text(text.format(secret))

    assert secret not in shown
    assert shown.startswith(text.format("")[:8])
    assert masked_text(shown) == shown


@pytest.mark.clause("SEC-2")
@pytest.mark.parametrize("text", ORDINARY)
def test_ordinary_text_is_left_alone(text: str) -> None:
    assert masked_text(text) == text


@settings(deadline=None)
@given(words, st.uuids(), shas, st.integers(), words)
def test_words_numbers_uuids_and_commit_ids_are_no_secrets(
    before: str, uuid: object, sha: str, number: int, after: str
) -> None:
    text = f"{before} {uuid} {sha} {number}, {after}"
    assert masked_text(text) == text
    assert masked({"id": str(uuid), "sha": sha, "text": text, "n": number}) == {
        "id": str(uuid),
        "sha": sha,
        "text": text,
        "n": number,
    }


@settings(deadline=None)
@given(st.text() | st.text("xobaps-_=:\"'\\ \n{}passwordtoken1", max_size=80))
def test_masking_once_is_enough_whatever_the_text(text: str) -> None:
    assert masked_text(masked_text(text)) == masked_text(text)


@pytest.mark.parametrize(
    "unit",
    ["a", "cookie:", 'password="', '\\"', "token=\\", "://x:", "-----BEGIN PRIV", "ey" + "J", "--password ", "a:"],
)
def test_no_text_makes_the_redactor_slow(unit: str) -> None:
    """Work that grows with the square of this length would outlast the test's time by far."""
    assert masked_text(unit * 40_000)


@pytest.mark.clause("SEC-2")
def test_names_tell_a_secret_from_what_is_only_about_one() -> None:
    secret = ["password", "PGPASSWORD", "dbPassword", "SMTP_PASS", "apiKey", "x-api-key", "AWS_SECRET_ACCESS_KEY"]
    secret += [
        "private_key",
        "Set-Cookie",
        "Authorization",
        "id_token",
        "credentials",
        "clientSecret",
        "X-Amz-Signature",
    ]
    harmless = ["token_count", "max_tokens", "input_tokens", "secret_name", "password_length", "author", "key", "pass"]
    harmless += ["secretary", "api_key_id", "signature", "keyboard", "tokenizer", "", "1"]
    assert [name for name in secret if not is_secret(name)] == []
    assert [name for name in harmless if is_secret(name)] == []


@pytest.mark.clause("SEC-2")
def test_numbers_under_a_secret_name_are_masked_and_what_says_whether_there_is_one_is_not() -> None:
    given_ = {"password": 123456, "token": None, "secret": True, "credentials": {"user": "bob", "tries": 3}, "pin": ""}
    assert masked(given_) == {
        "password": MASK,
        "token": None,
        "secret": True,
        "credentials": {"user": MASK, "tries": MASK},
        "pin": "",
    }
    assert masked([{"name": "Authorization", "value": "x"}, {"name": "Accept", "value": "x"}]) == [
        {"name": "Authorization", "value": MASK},
        {"name": "Accept", "value": "x"},
    ]


def test_what_lies_too_deep_to_be_looked_into_is_masked_whole() -> None:
    deep: Any = "word"
    for _ in range(500):
        deep = [deep]
    assert "word" not in json.dumps(masked(deep))


def _shape(value: Any) -> Any:
    match value:
        case dict():
            return {name: _shape(item) for name, item in value.items()}
        case list():
            return [_shape(item) for item in value]
        case _:
            return None
