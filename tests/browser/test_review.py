"""People at work in a real browser: find, decide by keyboard, undo, export, align again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from playwright.sync_api import Error, Page, expect

import lighttea
from tests.browser.conftest import ARABIC, BUSY, CODE, HEBREW, LONG, Opener, Site
from tests.literal_worlds import STRANGER, left_id, right_id
from tests.named_worlds import BOELL
from tests.named_worlds import left_id as left_name_id

pytestmark = pytest.mark.slow

Keep = Callable[[Page, str], None]


def left_name(page: Page) -> str:
    return page.locator(".head.left h1").inner_text()


def press(page: Page, key: str) -> None:
    """A key, once the page is there with its scripts, which listen to it."""
    page.wait_for_load_state("load")
    page.keyboard.press(key)


def test_open_search_and_filter(site: Site, open_page: Opener, keep: Keep) -> None:
    page = open_page(site)
    assert "token" not in page.url
    expect(page.locator("a.row")).to_have_count(50)
    keep(page, "queue-light")
    press(page, "/")
    page.keyboard.type("george_porter")
    press(page, "Enter")
    expect(page.locator("a.row")).to_have_text(["George_Porter"])
    page.wait_for_load_state("load")  # with its scripts, which submit a choice
    page.get_by_label("Search entities").fill("")
    page.get_by_text("More filters").click()
    page.locator("select[name=alarm]").select_option("any")
    page.wait_for_url("**alarm=any**")
    rows = page.locator("tbody tr")
    expect(rows.locator(".tag.alarm")).to_have_count(rows.count())


def test_the_list_works_by_keyboard(site: Site, open_page: Opener) -> None:
    page = open_page(site)
    press(page, "j")
    press(page, "j")
    second = page.locator("a.row").nth(1)
    expect(second).to_be_focused()
    name = second.inner_text()
    press(page, "Enter")
    page.wait_for_url("**/pair/1?**")
    assert left_name(page) == name
    press(page, "k")
    page.wait_for_url("**/pair/0?**")
    press(page, "q")
    expect(page.locator("a.row").first).to_be_visible()


def test_decide_undo_and_reload(site: Site, open_page: Opener, keep: Keep) -> None:
    page = open_page(site, "/pair/0")
    first = left_name(page)
    press(page, "a")
    page.wait_for_url("**/pair/1?**")
    expect(page.locator(".said")).to_contain_text(f"Accepted: {first}")
    second = left_name(page)
    press(page, "r")
    page.wait_for_url("**/pair/2?**")
    press(page, "s")
    page.wait_for_url("**/pair/3?**")
    expect(page.locator(".top .progress")).to_contain_text("3 of")
    press(page, "u")
    page.wait_for_url("**/pair/2?**")
    page.reload()
    expect(page.locator(".top .progress")).to_contain_text("2 of")
    page.goto(f"{site.base}/?state=all")
    states = page.locator("td.state")
    expect(states.nth(0)).to_have_text("accepted")
    expect(states.nth(1)).to_have_text("rejected")
    standing = site.session.decisions.standing()
    assert {name: one.last and one.last.verdict for name, one in standing.items()} == {
        first: "accept",
        second: "reject",
    }
    keep(page, "queue-decided")


def test_a_key_held_down_decides_once(site: Site, open_page: Opener) -> None:
    page = open_page(site, "/pair/0")
    button = "document.querySelector('[data-key=a]')"
    page.evaluate(f"{button}.click(); {button}.click(); {button}.click()")
    page.wait_for_url("**/pair/1?**")
    assert len(site.session.decisions.standing()) == 1


def test_a_key_held_down_over_many_pages_decides_once(site: Site, open_page: Opener) -> None:
    page = open_page(site, "/pair/0")
    page.wait_for_load_state("load")
    page.keyboard.down("a")
    page.wait_for_url("**/pair/1?**")
    page.wait_for_load_state("load")
    for _ in range(5):
        page.keyboard.down("a")  # a repeat
    page.keyboard.up("a")
    page.wait_for_timeout(300)
    assert page.url.split("?")[0].endswith("/pair/1")
    assert len(site.session.decisions.standing()) == 1


SEARCHES = {"queue": "/", "pair": "/pair/0", "many": "/many?by=threshold", "realign": "/realign"}


@pytest.mark.parametrize("what", SEARCHES)
def test_a_search_decides_nothing(site: Site, open_page: Opener, what: str) -> None:
    """The r of porter is a letter: `/` opens a search on every page, Esc leaves it."""
    page = open_page(site, SEARCHES[what])
    press(page, "/")
    search = page.get_by_label("Search entities")
    expect(search).to_be_focused()
    page.keyboard.type("porter as u r")
    expect(search).to_have_value("porter as u r")
    press(page, "Escape")
    expect(search).not_to_be_focused()
    press(page, "/")
    page.keyboard.press("Control+a")
    page.keyboard.type("george_porter")
    press(page, "Enter")
    expect(page.locator("a.row")).to_have_text(["George_Porter"])
    assert site.session.decisions.standing() == {}


def test_the_message_page_has_a_search_too(site: Site, open_page: Opener) -> None:
    page = open_page(site, "/pair/0")
    site.session.decisions.decide(str(site.session.queue.frame["left"][0]), "x", "skip", seen=0)
    press(page, "r")
    expect(page.locator("h1")).to_contain_text("decided meanwhile")
    press(page, "/")
    expect(page.get_by_label("Search entities")).to_be_focused()


@pytest.mark.parametrize("modifier", ["Control", "Alt", "Meta"])
def test_a_key_with_a_modifier_decides_nothing(
    site: Site, open_page: Opener, modifier: str
) -> None:
    page = open_page(site, "/pair/0")
    page.wait_for_load_state("load")
    event = {"Control": "ctrlKey", "Alt": "altKey", "Meta": "metaKey"}[modifier]
    for key in "arsu":  # as events: the browser has its own use for some of them
        page.evaluate(
            "([key, name]) => document.body.dispatchEvent("
            "new KeyboardEvent('keydown', {key, bubbles: true, [name]: true}))",
            [key, event],
        )
    page.wait_for_timeout(300)
    assert page.url.split("?")[0].endswith("/pair/0")
    assert site.session.decisions.standing() == {}


def test_a_word_typed_beside_a_field_decides_nothing(site: Site, open_page: Opener) -> None:
    """Whoever types a name where no field has the focus meant a search."""
    page = open_page(site, "/pair/0")
    page.wait_for_load_state("load")
    page.keyboard.type("porter")
    page.wait_for_timeout(300)
    assert page.url.split("?")[0].endswith("/pair/0")
    assert site.session.decisions.standing() == {}
    page.wait_for_timeout(600)  # a letter alone, later, is a key again
    press(page, "r")
    page.wait_for_url("**/pair/1?**")
    assert len(site.session.decisions.standing()) == 1


def test_a_focused_choice_takes_its_letters(site: Site, open_page: Opener) -> None:
    """In the queue a select or a tick box has the focus; no letter decides or undoes."""
    page = open_page(site, "/pair/0")
    press(page, "a")
    page.wait_for_url("**/pair/1?**")
    page.goto(f"{site.base}/?state=all")
    page.wait_for_load_state("load")
    page.locator("input[name=pick]").first.focus()
    for key in "aru":
        page.keyboard.press(key)
    page.get_by_label("Decision").focus()
    page.keyboard.press("u")
    page.wait_for_timeout(300)
    assert len(site.session.decisions.standing()) == 1


# ------------------------------------------------------------------------------ many at once


def test_a_range_is_selected_decided_and_undone(site: Site, open_page: Opener, keep: Keep) -> None:
    page = open_page(site)
    page.wait_for_load_state("load")
    reject = page.get_by_role("button", name="Reject selected")
    expect(reject).to_be_disabled()
    boxes = page.locator("input[name=pick]")
    boxes.nth(1).click()
    boxes.nth(4).click(modifiers=["Shift"])
    expect(page.locator(".picked")).to_have_text("4 selected")
    boxes.nth(2).click()
    expect(page.locator(".picked")).to_have_text("3 selected")
    keep(page, "queue-selected")
    reject.click()
    expect(page.locator(".said")).to_contain_text("Rejected 3")
    assert len(site.session.decisions.standing()) == 3
    press(page, "u")
    expect(page.locator(".said")).to_contain_text("3 decisions undone")
    assert site.session.decisions.standing() == {}


def test_pairs_are_selected_by_keyboard(site: Site, open_page: Opener) -> None:
    page = open_page(site)
    for key in ("j", "x", "j", "j", "Shift+X"):
        press(page, key)
    expect(page.locator(".picked")).to_have_text("3 selected")
    page.get_by_label("this page").check()
    expect(page.locator(".picked")).to_have_text("50 selected")
    page.get_by_label("this page").uncheck()
    expect(page.locator(".picked")).to_have_text("")


def test_all_that_match_are_previewed_first(site: Site, open_page: Opener) -> None:
    page = open_page(site, "/?kind=links")
    n_links = len(site.session.run.best_links)
    page.get_by_label(f"all {n_links} that match").check()
    expect(page.locator(".picked")).to_have_text(f"{n_links} selected")
    page.get_by_role("button", name="Accept selected").click()
    expect(page.locator("h1")).to_contain_text(f"Accept {n_links}")
    assert site.session.decisions.standing() == {}
    page.get_by_role("button", name="Accept").click()
    expect(page.locator(".said")).to_contain_text("Accepted")
    assert len(site.session.decisions.links()[0]) == n_links
    press(page, "u")
    expect(page.locator(".said")).to_contain_text("undone")
    assert site.session.decisions.standing() == {}


def test_a_threshold_is_previewed_then_applied(site: Site, open_page: Opener, keep: Keep) -> None:
    page = open_page(site)
    page.get_by_label("Accept links from confidence").fill("0.8")
    page.get_by_role("button", name="Preview").click()
    expect(page.locator("h1")).to_contain_text("from confidence 0.8")
    expect(page.locator("main")).to_contain_text("expected wrong")
    expect(page.locator("main")).to_contain_text("an alarm")
    keep(page, "many-preview")
    check_access(page)
    page.get_by_role("link", name="0.95").click()
    expect(page.locator("h1")).to_contain_text("from confidence 0.95")
    assert site.session.decisions.standing() == {}
    page.get_by_role("button", name="Accept").click()
    page.wait_for_url("**done=**")
    n_links = site.session.run.best_links.filter(pl.col("confidence") >= 0.95).height
    assert len(site.session.decisions.links()[0]) == n_links


def test_the_name_is_asked_for_once(site: Site, open_page: Opener) -> None:
    page = open_page(site)
    page.get_by_label("Who is reviewing?").fill("Anna Example")
    page.locator(".ask button").click()
    expect(page.locator(".ask")).to_have_count(0)
    expect(page.locator(".top")).to_contain_text("reviewer: Anna Example")
    page.goto(f"{site.base}/pair/0")
    press(page, "a")
    page.wait_for_url("**/pair/1?**")
    assert site.session.decisions.reviews()["reviewer"].to_list() == ["Anna Example"]


def reject_first(page: Page) -> None:
    """Reject the first pair: without a decision there is nothing to align again."""
    press(page, "r")
    page.wait_for_url("**/pair/1?**")


def test_an_alignment_shows_how_far_it_is(site: Site, open_page: Opener, keep: Keep) -> None:
    reject_first(open_page(site, "/pair/0"))
    page = open_page(site, "/realign")
    page.get_by_role("button", name="Align again").click()
    bar = page.get_by_role("progressbar", name="alignment")
    expect(bar).to_be_visible()
    percents = set()
    while bar.count():
        with suppress(Error):  # the page may be replaced by the next
            percents.add(int(bar.evaluate("e => e.value", timeout=500)))
            page.wait_for_timeout(50)
    assert len(percents) > 1
    assert percents <= set(range(101))
    expect(page.get_by_role("heading", name="What changed")).to_be_visible(timeout=120_000)


def test_another_candidate_is_one_key_away(site: Site, open_page: Opener, keep: Keep) -> None:
    number = site.session.queue.number_of("George_Porter")
    page = open_page(site, f"/pair/{number}")
    keep(page, "pair-light")
    for key in "23456789":  # until one of them was born or died at another time
        press(page, key)
        page.wait_for_url(f"**choice={key}**")
        expect(page.get_by_role("button", name="Choose this one")).to_be_visible()
        if page.locator("li.contradicts").count():
            break
    expect(page.locator("li.contradicts").first).to_be_visible()
    keep(page, "pair-contradictions")
    right = page.locator(".head.right h2").inner_text()
    press(page, "a")
    page.wait_for_url("**done=**")
    assert site.session.decisions.links()[0].rows() == [("George_Porter", right)]


def test_a_note_by_keyboard(site: Site, open_page: Opener) -> None:
    page = open_page(site, "/pair/0")
    press(page, "n")
    page.keyboard.type("a and r are letters here")
    press(page, "Control+Enter")
    page.wait_for_load_state()
    expect(page.get_by_role("textbox", name="Note")).to_have_value("a and r are letters here")
    assert site.session.decisions.standing() == {}


def test_two_tabs(site: Site, open_page: Opener) -> None:
    one, other = open_page(site, "/pair/0"), open_page(site, "/pair/0")
    press(one, "a")
    one.wait_for_url("**/pair/1?**")
    press(other, "r")
    expect(other.locator("h1")).to_contain_text("decided meanwhile")
    other.wait_for_load_state()
    press(other, "Enter")
    other.wait_for_url("**/pair/0?**")
    expect(other.locator(".between .state")).to_have_text("accepted")


def test_export(site: Site, open_page: Opener) -> None:
    page = open_page(site, "/pair/0")
    name, right = left_name(page), page.locator(".head.right h2").inner_text()
    press(page, "a")
    page.wait_for_url("**/pair/1?**")
    with page.expect_download() as download:
        page.get_by_text("download", exact=True).click()
        page.get_by_role("link", name="must-link.tsv", exact=True).click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert text == f"left\tright\n{name}\t{right}\n"


def test_align_again(site: Site, open_page: Opener, keep: Keep) -> None:
    """Reject one link, accept another one and a pair that was none; see all three hold."""
    page = open_page(site, "/?kind=sure")
    page.locator("a.row").first.click()
    gone = left_name(page), page.locator(".head.right h2").inner_text()
    press(page, "r")
    page.wait_for_url("**done=**")
    kept = left_name(page), page.locator(".head.right h2").inner_text()
    press(page, "a")
    page.wait_for_url(lambda url: "done=2" in url)
    page.goto(f"{site.base}/pair/0?choice=2")
    chosen = left_name(page), page.locator(".head.right h2").inner_text()
    press(page, "a")
    page.wait_for_url(lambda url: "done=3" in url)
    page.get_by_role("link", name="align again").click()
    page.get_by_role("button", name="Align again").click()
    expect(page.get_by_role("heading", name="What changed")).to_be_visible(timeout=120_000)
    expect(page.locator("main")).to_contain_text("links stayed")
    expect(page.locator(".tabs")).to_contain_text("withdrawn (")
    keep(page, "realigned")
    changed = page.locator("tbody tr")
    rejected = changed.filter(has=page.get_by_role("cell", name=gone[0], exact=True)).locator("td")
    expect(rejected.nth(1)).to_have_text(gone[1])
    expect(rejected.nth(2)).not_to_have_text(gone[1])
    expect(changed.filter(has=page.get_by_role("cell", name=kept[0], exact=True))).to_have_count(0)
    new = lighttea.load_run(str(site.session.realignment.out))
    assert {kept, chosen} <= set(new.seeds.rows())
    assert gone not in new.candidates.select("left", "right").rows()


def test_two_tabs_align_once(site: Site, open_page: Opener) -> None:
    reject_first(open_page(site, "/pair/0"))
    one, other = open_page(site, "/realign"), open_page(site, "/realign")
    one.get_by_role("button", name="Align again").click()
    expect(one.locator(".working")).to_be_visible()
    other.get_by_role("button", name="Align again").click()
    for page in (one, other):
        expect(page.get_by_role("heading", name="What changed")).to_be_visible(timeout=120_000)
    runs = [path.name for path in site.session.realignment.folder.glob("run-[0-9]")]
    assert runs == ["run-1"]


def test_the_keys_are_explained(site: Site, open_page: Opener) -> None:
    page = open_page(site, "/pair/0")
    press(page, "?")
    expect(page.get_by_role("dialog")).to_contain_text("accept the pair")
    press(page, "a")  # decides nothing while the help is open
    press(page, "Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert site.session.decisions.standing() == {}


def test_without_scripts_it_still_works(site: Site, browser: Any) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(site.guard.address())
    page.locator("a.row").first.click()
    page.get_by_role("button", name="Accept").click()
    assert len(site.session.decisions.standing()) == 1
    context.close()


SIGHTS = {
    "wide-light": ("light", 1440),
    "wide-dark": ("dark", 1440),
    "narrow-light": ("light", 390),
    "narrow-dark": ("dark", 390),
}
ODD = {"long": LONG, "hebrew": HEBREW, "arabic": ARABIC, "code": CODE, "busy": BUSY}


@pytest.mark.parametrize("sight", SIGHTS)
@pytest.mark.parametrize("what", ["queue", *ODD])
def test_every_sight_is_fit_to_be_seen(
    odd_site: Site, open_page: Opener, keep: Keep, what: str, sight: str
) -> None:
    """Nothing runs over the edge, nothing runs that is a name, and no serious finding of axe."""
    scheme, width = SIGHTS[sight]
    number = None if what == "queue" else odd_site.session.queue.number_of(ODD[what])
    address = "/" if number is None else f"/pair/{number}"
    page = open_page(odd_site, address, scheme=scheme, width=width)
    assert "broken" not in page.title().split(" · ")[0] or CODE in page.title()
    overflow = page.evaluate(
        "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    )
    assert overflow <= 0
    keep(page, f"{what}-{sight}")
    if width > 1000:  # a narrow page has the same parts and colours
        check_access(page)


@pytest.mark.parametrize("sight", SIGHTS)
def test_literals_are_fit_to_be_seen(
    literal_site: Site, open_page: Opener, keep: Keep, sight: str
) -> None:
    """Of one person everything differs, of another there is HTML in a literal."""
    scheme, width = SIGHTS[sight]
    for number, kinds in ((STRANGER, {"contradicts", "alike", "alone"}), (2, {"same", "alone"})):
        place = literal_site.session.queue.number_of(left_id(number))
        names = literal_site.session.explainer.candidates_of(left_id(number))["right"].to_list()
        choice = names.index(right_id(number)) + 1
        address = f"/pair/{place}?choice={choice}"
        page = open_page(literal_site, address, scheme=scheme, width=width)
        assert "broken" not in page.title()
        rows = page.locator(".values li")
        found = {rows.nth(i).get_attribute("class") for i in range(rows.count())}
        assert found >= kinds
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(overflow) <= 0
        keep(page, f"literals-{number}-{sight}")
        if width > 1000:
            check_access(page)


def cuts_a_word(page: Page) -> str:
    """The first word of up to twelve letters that is broken, and its name; empty for none."""
    return str(
        page.evaluate(
            """() => {
              for (const name of document.querySelectorAll("main bdi")) {
                const text = name.firstChild;
                if (!text || text.nodeType !== Node.TEXT_NODE) continue;
                for (const word of text.data.matchAll(/(?<!\\S)[\\p{L}\\p{N}]{2,12}(?!\\S)/gu)) {
                  const range = document.createRange();
                  range.setStart(text, word.index);
                  range.setEnd(text, word.index + word[0].length);
                  const tops = new Set([...range.getClientRects()].map((r) => Math.round(r.top)));
                  if (tops.size > 1) return text.data + ": " + word[0];
                }
              }
              return "";
            }"""
        )
    )


@pytest.mark.parametrize("sight", SIGHTS)
def test_names_are_fit_to_be_seen(
    named_site: Site, open_page: Opener, keep: Keep, sight: str
) -> None:
    """Names and small ids in the queue and on pages of pairs; no short word is cut in two."""
    scheme, width = SIGHTS[sight]
    queue = named_site.session.queue
    pairs = {f"pair-{i}": f"/pair/{queue.number_of(left_name_id(i))}" for i in (1, 2, 3, 4, 5)}
    for what, address in {"queue": "/", **pairs}.items():
        page = open_page(named_site, address, scheme=scheme, width=width)
        assert page.title().split(" · ")[0] != "broken"
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(overflow) <= 0
        assert cuts_a_word(page) == ""
        keep(page, f"names-{what}-{sight}")
        if width > 1000:
            check_access(page)


def test_a_name_is_searched_and_its_id_shown(named_site: Site, open_page: Opener) -> None:
    page = open_page(named_site)
    press(page, "/")
    page.keyboard.type("heinrich boll")
    press(page, "Enter")
    expect(page.locator("a.row")).to_have_text([BOELL])
    expect(page.locator("tbody .id").first).to_have_text(left_name_id(1))
    page.locator("a.row").click()
    assert left_name(page) == BOELL
    expect(page.locator(".head.left .id")).to_have_text(left_name_id(1))
    expect(page.locator(".head.left .side")).to_have_text("People")


def test_right_to_left_names_stand_in_their_own_direction(
    named_site: Site, open_page: Opener
) -> None:
    for number, direction in ((2, "rtl"), (3, "rtl"), (1, "ltr")):
        place = named_site.session.queue.number_of(left_name_id(number))
        page = open_page(named_site, f"/pair/{place}")
        name = page.locator(".head.left h1 bdi")
        assert name.evaluate("e => getComputedStyle(e).direction") == direction
        assert page.locator("main").evaluate("e => getComputedStyle(e).direction") == "ltr"


def test_the_other_pages_are_accessible(site: Site, open_page: Opener) -> None:
    page = open_page(site, "/realign")
    check_access(page)
    for address in ("/many?by=threshold&verdict=accept&low=0.5", "/?kind=links&state=all"):
        page.goto(site.base + address)
        check_access(page)
    page.goto(f"{site.base}/pair/0")
    press(page, "?")
    check_access(page)


def check_access(page: Page) -> None:
    """No serious or critical finding."""
    from axe_playwright_python.sync_playwright import Axe

    answer = Axe().run(page).response
    assert len(answer["passes"]) > 10  # it did look
    grave = [
        (one["id"], one["help"], [node["html"][:200] for node in one["nodes"][:3]])
        for one in answer["violations"]
        if one["impact"] in ("serious", "critical")
    ]
    assert not grave
