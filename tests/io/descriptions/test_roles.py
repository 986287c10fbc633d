"""What a description makes of tables: facts, entities, names, times, constants."""

from __future__ import annotations

from tests.io.descriptions.conftest import Complain, Describe, Put, facts_of, literals_of

APPEARANCES = "playerID,teamID,yearID,G\np1,BOS,2001,10\np1,NYA,2002,20\np2,BOS,2001,5\n"
PEOPLE = (
    "playerID,nameFirst,nameLast,bats,throws,weight,birthCity,birthDate\n"
    "p1,Ada,King,L,R,180,Bern,1971-03-07\n"
    "p2,,Solo,,R,NA,,\n"
    "p3,Cy,Oak,R,R,170,Rome,NA\n"
)
EXAMPLE = """
name = "Lahman"                       # shown instead of "left"
[[source]]                            # a table of facts
file = "appearances.csv"
head = "playerID"                     # a column
relation = { value = "played for" }   # or a column
tail = "teamID"
time = "yearID"
[[source]]                            # a wide table: one row, one entity
file = "people.csv"
entity = "playerID"
names = ["nameFirst", "nameLast"]      # one readable name out of several columns
attributes = ["bats", "throws", "weight"]
links = { birthCity = "born in" }     # columns whose values are entities
begin = { "born in" = "birthDate" }
missing = ["NA"]
"""


def test_the_example(put: Put, described: Describe) -> None:
    put("appearances.csv", APPEARANCES)
    put("people.csv", PEOPLE)
    graph = described(EXAMPLE)
    assert graph.name == "Lahman"
    assert graph.source.endswith("left.toml")
    assert graph.digest.startswith("sha256:")
    assert set(graph.entities) == {"p1", "p2", "p3", "BOS", "NYA", "Bern", "Rome"}
    assert graph.entity_names == {"p1": "Ada King", "p2": "Solo", "p3": "Cy Oak"}
    assert facts_of(graph) == [
        ("p1", "played for", "BOS", "2001", "2001"),
        ("p1", "played for", "NYA", "2002", "2002"),
        ("p2", "played for", "BOS", "2001", "2001"),
        ("p1", "born in", "Bern", "1971-03-07", None),
        ("p3", "born in", "Rome", None, None),
    ]
    assert [row[1:3] for row in literals_of(graph) if row[0] == "p2"] == [
        ("name", "Solo"),
        ("throws", "R"),
    ]
    assert graph.notes == ("appearances.csv: unused columns: G",)


def test_the_digest_is_of_the_description_and_of_its_files(put: Put, described: Describe) -> None:
    put("appearances.csv", APPEARANCES)
    text = '[[source]]\nfile = "appearances.csv"\nhead = "playerID"\ntail = "teamID"\n'
    text += 'relation = { value = "r" }\n'
    digests = [described(text).digest, described(text + "# a remark\n").digest]
    put("appearances.csv", APPEARANCES + "p9,BOS,2001,1\n")
    digests.append(described(text).digest)
    assert len(set(digests)) == 3
    assert described(text).digest == digests[2]


FACTS = '[[source]]\nfile = "f.csv"\nhead = "h"\nrelation = "r"\ntail = "t"\n'


def test_begin_end_and_constants_of_time(put: Put, described: Describe) -> None:
    put("f.csv", "h,r,t,a,b\nx,r,y,1999,2001\nx,s,z,,\n")
    graph = described(FACTS + 'begin = "a"\nend = "b"\ntime = { value = 1990 }\n')
    assert facts_of(graph) == [("x", "r", "y", "1999", "2001"), ("x", "s", "z", "1990", "1990")]


def test_constants_of_head_and_tail_and_a_date(put: Put, described: Describe) -> None:
    put("f.csv", "t\ny\nz\n")
    graph = described(
        '[[source]]\nfile = "f.csv"\nhead = { value = "x" }\nrelation = { value = "r" }\n'
        'tail = "t"\nbegin = { value = 1999-02-03 }\nend = { value = "04.05.2001" }\n'
    )
    assert facts_of(graph)[0] == ("x", "r", "y", "1999-02-03", "2001-05-04")


def test_rows_without_a_tail_are_left_out_and_counted(put: Put, described: Describe) -> None:
    put("f.csv", "h,r,t\nx,r,y\nx,r,\nx,r,-\n,r,y\n")
    graph = described('missing = "-"\n' + FACTS)
    assert facts_of(graph) == [("x", "r", "y", None, None)]
    assert graph.notes == (
        "f.csv: 1 rows without h (head) left out",
        "f.csv: 2 rows without t (tail) left out",
    )


def test_values_languages_and_datatypes(put: Put, described: Describe) -> None:
    put("f.csv", "h,r,t,v,l\nx,name,,Ada,en\nx,r,y,,\n")
    graph = described(FACTS + 'value = "v"\nlanguage = "l"\ndatatype = { value = "http://d" }\n')
    assert graph.attributes.languages == ["en"]
    assert graph.attributes.datatypes == ["http://d"]
    assert facts_of(graph) == [("x", "r", "y", None, None)]


def test_names_of_heads_tails_and_relations(put: Put, described: Describe) -> None:
    put("f.csv", "h,r,t,hn,tn,rn\n1,r,2,Ada  King,Post,works for\n1,r,2,Other,,\n3,r,2,,,\n")
    graph = described(FACTS + 'names = { head = "hn", tail = ["tn"], relation = "rn" }\n')
    assert graph.entity_names == {"1": "Ada King", "2": "Post"}
    assert graph.relation_names == {"r": "works for"}


def test_dates_of_an_entity_and_dated_attributes(put: Put, described: Describe) -> None:
    put("p.csv", "id,born,club,since,until\na,07.03.1971,Hill,1999,NA\nb,unknown,Lake,,2001\n")
    graph = described(
        '[[source]]\nfile = "p.csv"\nentity = "id"\ndates = { born = "birth" }\n'
        'attributes = { club = "plays for" }\n'
        'begin = { "plays for" = "since" }\nend = { "plays for" = "until" }\n'
    )
    assert facts_of(graph) == [("a", "birth", "a", "1971-03-07", "1971-03-07")]
    assert literals_of(graph) == [
        ("a", "plays for", "Hill", "1999", None),
        ("b", "plays for", "Lake", None, "2001"),
    ]
    assert (
        "p.csv: 1 times in until are NA, as R writes missing values; taken as unknown"
        in graph.notes
    )


def test_an_entity_without_values_is_one_nevertheless(put: Put, described: Describe) -> None:
    put("p.csv", "id,x\na,1\nb,\n,2\n")
    graph = described('[[source]]\nfile = "p.csv"\nentity = "id"\nattributes = ["x"]\n')
    assert list(graph.entities) == ["a", "b"]
    assert graph.notes == ("p.csv: 1 rows without id (entity) left out",)


def test_prefixes_keep_ids_of_two_tables_apart(put: Put, described: Describe) -> None:
    put("f.csv", "h,r,t\n1,r,1\n")
    put("p.csv", "id,team,city\n1,1,Bern\n")
    graph = described(
        FACTS
        + 'prefix = { head = "player:", tail = "team:" }\n'
        + '[[source]]\nfile = "p.csv"\nentity = "id"\nlinks = ["team", "city"]\n'
        + 'prefix = { entity = "player:", team = "team:" }\n'
        + '[[source]]\nfile = "p.csv"\nentity = "id"\nattributes = ["city"]\nprefix = "all:"\n'
    )
    assert facts_of(graph) == [
        ("player:1", "r", "team:1", None, None),
        ("player:1", "team", "team:1", None, None),
        ("player:1", "city", "Bern", None, None),
    ]
    assert literals_of(graph)[0][:3] == ("all:1", "city", "Bern")


def test_cells_with_several_values(put: Put, described: Describe) -> None:
    put("f.csv", "h,r,t\nx,r,y; z ;;NA\nx,s,y\n")
    put("p.csv", "id,tags,clubs\na,red|blue,c|d\nb,,\n")
    graph = described(
        'missing = "NA"\n' + FACTS + 'split = { t = ";" }\n'
        '[[source]]\nfile = "p.csv"\nentity = "id"\nattributes = ["tags"]\nlinks = ["clubs"]\n'
        'split = { tags = "|", clubs = "|" }\nprefix = { clubs = "c:" }\n'
    )
    assert [row[:3] for row in facts_of(graph)] == [
        ("x", "r", "y"),
        ("x", "r", "z"),
        ("x", "s", "y"),
        ("a", "clubs", "c:c"),
        ("a", "clubs", "c:d"),
    ]
    assert [row[2] for row in literals_of(graph)] == ["red", "blue"]


def test_forms_of_dates(put: Put, described: Describe) -> None:
    put("f.csv", "h,r,t,d\nx,r,y,03/07/2011\nx,r,z,July 2011\nx,r,w,1999\nx,r,v,2011-02-03\n")
    graph = described('date_format = ["%m/%d/%Y", "%B %Y"]\n' + FACTS + 'time = "d"\n')
    assert [row[3] for row in facts_of(graph)] == ["2011-03-07", "2011-07", "1999", "2011-02-03"]
    own = 'time = "d"\ndate_format = ["%d/%m/%Y", "%B %Y"]\n'
    graph = described('date_format = "%Y"\n' + FACTS + own)
    assert facts_of(graph)[0][3] == "2011-07-03"


def test_a_zone_at_the_end_of_time_is_no_crash(put: Put, complaint: Complain) -> None:
    put("f.csv", "h,r,t,d\nx,r,y,01.01.0001 00:00 +0500\n")
    text = complaint(FACTS + 'time = "d"\ndate_format = "%d.%m.%Y %H:%M %z"\n')
    assert "does not match date_format" in text


def test_forms_of_times_of_day(put: Put, described: Describe) -> None:
    put("f.csv", "h,r,t,d\nx,r,y,03.07.2011 04:05 +0200\n")
    graph = described(FACTS + 'time = "d"\ndate_format = "%d.%m.%Y %H:%M %z"\n')
    assert facts_of(graph)[0][3] == "2011-07-03T02:05:00"


def test_a_source_has_its_own_missing_marks(put: Put, described: Describe) -> None:
    put("f.csv", "h,r,t\nx,r,NA\n")
    graph = described('missing = ["NA"]\n' + FACTS + "missing = []\n")
    assert facts_of(graph) == [("x", "r", "NA", None, None)]


def test_equal_notes_of_many_files_are_told_once(put: Put, described: Describe) -> None:
    for number in range(3):
        put(f"f{number}.csv", f"h,r,t,other\nx,r,y{number},1\n")
    graph = described(FACTS.replace("f.csv", "f*.csv"))
    assert graph.notes == ("f0.csv and 2 more: unused columns: other",)
    assert len(graph.facts) == 3


def test_lists_in_two_columns_of_facts_are_refused(put: Put, complaint: Complain) -> None:
    put("f.csv", "h,r,t\na;b,r,c;d\n")
    text = complaint(FACTS + 'split = { h = ";", t = ";" }\n')
    assert text.startswith("left.toml:5: tail: head and tail both hold several values in a row")
