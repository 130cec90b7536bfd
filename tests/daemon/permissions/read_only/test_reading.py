"""Commands that need no rule, and their neighbours that do."""

import pytest
from tests.daemon.permissions.conftest import Bench

READS = """
    pwd
    ls
    ls -la sub
    ls --color=never --sort size sub
    cat a.txt
    cat -- a.txt
    head -20 a.txt
    tail -n +5 a.txt
    wc -l a.txt sub/b.txt
    stat -c %s a.txt
    file --brief a.txt
    echo 'rm -rf /' --output=/etc/x
    printf '%s\\n' a
    date +%F
    date -u -d yesterday
    which python3
    type -a ls
    command -v git
    uname -a
    du -sh sub
    df -h .
    tree -L 2 -I node_modules sub
    sort -t: -k2 -rn a.txt
    uniq -c a.txt
    cut -d, -f1 a.txt
    tr a-z /-Z
    diff -u a.txt sub/b.txt
    cmp a.txt sub/b.txt
    jq -r .scripts.test package.json
    sha256sum a.txt
    od -A x -t x1 a.txt
    xxd -l 16 a.txt
    seq 1 5
    basename /etc/passwd
    realpath sub
    grep -n 'a b' a.txt
    grep -A3 -e x a.txt
    grep -r --include='*.py' x sub
    grep -Rn x sub
    egrep -3 x a.txt
    rg x
    rg -n x sub -g '*.{ts,tsx}' -g '!*.test.ts'
    rg -t py --files-with-matches x
    rg --files -g package.json
    find . -name '*.py' -not -path './.venv/*'
    find sub ( -name a -o -name b ) -newer a.txt -print0
    find . -maxdepth 2 -type f -printf '%p\\n'
    sed -n 1,20p a.txt
    sed -n '/a/,/b/p' a.txt
    sed -E 's/a/b/g;$d' a.txt
    ps aux
    ps -eo pid,args --sort=-rss
    lsof -nP -iTCP:8000 -sTCP:LISTEN
    test -f a.txt
    test ! -d sub
    python3 --version
    node -v
    LC_ALL=C sort a.txt
    true
    false
    sleep 1
    lscpu
    column -t -s , a.txt
    cd sub
    cd sub && ls
    cd sub && cat a.txt | wc -l
    ls && pwd; cat a.txt | head -3 >/dev/null 2>&1
    timeout 5 ls
    git status -sb
    git --no-pager log --oneline -20
    git log -p --since='2 days ago' --author=me -- a.txt
    git log --format='%h %an %s' main..HEAD
    git show HEAD:README.md
    git diff --stat HEAD~1
    git diff main...HEAD -- sub
    git branch
    git branch -a -vv
    git branch --list 'f*'
    git tag -l 'v*'
    git remote -v
    git rev-parse --short HEAD
    git ls-files '*.py'
    git blame -L 10,20 a.txt
    git describe --tags --always --dirty
    git stash list
    git stash show -p
    git reflog -5
    git grep -n x -- sub
    git cat-file -p HEAD
    git merge-base main HEAD
    git worktree list
"""
ASKS = """
    id
    cd
    cd -
    cd ..
    cd ~
    cd -P sub
    cd sub && cat ../a.txt
    cd sub && cat ../../a.txt
    cd sub && touch a
    cd sub && git status
    cd sub && timeout 5 git status
    sleep --version x --y
    column -J a.txt
    column /etc/passwd
    env
    printenv HOME
    whoami
    hostname x
    set
    export
    cat /etc/passwd
    cat ../x
    cat .env
    cat sub/../.env
    cat --show-al a.txt
    head -c 10 /dev/sda
    tail -f a.txt
    tail --pid=1 a.txt
    ls -L sub
    ls ..
    wc --files0-from=a.txt
    file -m magic a.txt
    file -z a.txt
    file -C
    date -s 2020-01-01
    date 01010101
    date --file=a.txt
    hash -r
    type -x ls
    command ls
    command -p ls
    tree -o out
    tree -R
    tree -l
    sort -o a a.txt
    sort -T . a.txt
    sort --compress-prog=x a.txt
    sort --files0-from=a.txt
    uniq a.txt out
    diff -r sub sub
    diff -l a.txt a.txt
    diff --to-file=/etc/passwd a.txt
    jq env
    jq -n '$ENV.HOME'
    jq -n 'import "x" as $d; .'
    jq -f a.txt
    jq -L sub . a.txt
    jq --slurpfile x /etc/passwd . a.txt
    md5sum -c a.txt
    strings @a.txt
    xxd -r a.txt
    xxd a.txt out
    xxd -ps /etc/passwd
    printf -v PATH x
    printf '%n' x
    printf '%*d' 1 2
    test -v a
    test a -eq b
    [ -f a.txt ]
    grep -f a.txt x
    grep --rege=x /etc/passwd
    grep -3eroot /etc/passwd
    grep -e x /etc/passwd
    grep --exclude-from=a.txt x sub
    rg --pre cat x
    rg -z x
    rg -u x
    rg -uuu x
    rg --hidden x
    rg -. x
    rg -L x
    rg --no-ignore x
    rg -g '*' x
    rg -g '**' x
    rg -g '.e*' x
    rg -g '*.{ts,env}' x
    rg -g 'sub/**' x
    rg --iglob '*.TS' x
    rg --ignore-file=a.txt x
    rg -f a.txt x
    rg x .env
    rg --type-add 'x:*' -tx y
    find . -delete
    find . -exec ls ;
    find -L . -name x
    find . -fls out
    find /etc -name x
    find . -newer /etc/passwd
    find . -name
    sed -i s/a/b/ a.txt
    sed -n 'w out' a.txt
    sed 's/a/b/e' a.txt
    sed 's/a/b/w out' a.txt
    sed -n '1r /etc/passwd' a.txt
    sed -f a.txt a.txt
    sed -n 5p /etc/passwd
    sed -e p -e e a.txt
    awk 1 a.txt
    ps e
    ps auxe
    ps auxeww
    ps -p
    lsof
    lsof -F
    lsof /etc/passwd
    yarn --version
    cargo --version
    node --version x
    python3 -c --version
    ./ls
    /bin/ls
    ls > out
    ls | tee out
    ls *
    git
    git push
    git -c a=b status
    git -C sub status
    git --git-dir=x status
    git branch new
    git branch -d x
    git branch --lis x
    git branch -m a b
    git branch --list --edit-description
    git tag v1
    git tag -d v1
    git tag -v v1
    git remote add a b
    git remote show origin
    git remote get-url --all
    git stash
    git stash pop
    git reflog expire --all
    git config --get user.name
    git log --output=x
    git log --outp=x
    git log --show-signature
    git log --format='%G?'
    git log --pretty='%h %GK'
    git log --ext-diff
    git log -O/etc/passwd
    git log -L1,5:.env
    git log -L 1,5:.env
    git branch --format='%(signature)'
    git show HEAD:.env
    git show HEAD:sub/.env
    git show main:../x
    git diff --no-index a b
    git diff -- ':(icase).ENV'
    git diff -- :/etc
    git diff /etc/passwd a.txt
    git diff --textconv
    git grep -O x
    git grep -f a.txt
    git grep --no-index x
    git ls-files -X a.txt
    git blame --contents /etc/passwd a.txt
    git cat-file --filters HEAD:a
    git cat-file --batch
    git rev-parse --git-path x
    git symbolic-ref HEAD refs/heads/x
    git worktree add x
    git fetch
    git ls-remote
    git submodule status
    git help log
    git --exec-path
    git worktree list x
    git rev-list --disk-usage x
"""


def lines(text: str) -> list[str]:
    return [line[4:] for line in text.splitlines() if line.strip() and line[4] != " "]


@pytest.fixture(autouse=True)
def repository(bench: Bench) -> None:
    git = bench.root / ".git"
    (git / "objects").mkdir(parents=True)
    (git / "HEAD").write_text("ref: refs/heads/main\n", "utf-8")
    (git / "config").write_text("[core]\n\tbare = false\n", "utf-8")


@pytest.mark.parametrize("command", lines(READS))
def test_what_only_reads_needs_no_rule(bench: Bench, command: str) -> None:
    command = command.replace(" ( ", r" \( ").replace(" ) ", r" \) ")

    for mode in ("default", "accept-edits", "plan"):
        found = bench.shell(command, mode=mode)
        assert (found.verdict, found.rule) == ("allow", None), found


@pytest.mark.parametrize("command", lines(ASKS))
def test_what_could_do_more_asks(bench: Bench, command: str) -> None:
    assert bench.shell(command).verdict == "ask"
    assert bench.shell(command, mode="plan").verdict == "deny"


def test_rules_go_before_the_set(bench: Bench) -> None:
    assert bench.shell("cat a", deny=["Bash(cat)"]).verdict == "deny"
    assert bench.shell("cat a", deny=["Read(/a)"]).verdict == "deny"
    assert bench.shell("ls; cat a", ask=["Bash(cat)"]).verdict == "ask"


def test_a_rule_and_the_set_together_allow_a_compound(bench: Bench) -> None:
    found = bench.shell("cat a && npm test | tail -3", allow=["Bash(npm test)"])

    assert (found.verdict, found.rule) == ("allow", "Bash(npm test)")


def test_what_asks_beside_it_is_what_the_reason_and_the_rule_name(bench: Bench) -> None:
    found = bench.shell("ls -la && npm test && cat a")

    assert found.reason == "No rule allows npm test."
    assert found.suggested_rules == ["Bash(npm test)"]


def test_the_reason_says_what_speaks_against_reading(bench: Bench) -> None:
    assert bench.shell("cat .env").reason == "cat .env: .env usually holds secrets."
    found = bench.shell("sort --outp=x a")
    assert found.reason == "sort --outp=x a: --outp is not known to be harmless."


@pytest.mark.parametrize("command", ["cat key", "cat notes/.env", "head gone"])
def test_links_are_judged_by_what_they_lead_to_and_by_their_name(
    bench: Bench, command: str
) -> None:
    (bench.root / "key").symlink_to(bench.home / ".ssh" / "id")
    (bench.root / "gone").symlink_to(bench.home / "nowhere")
    (bench.root / "notes").mkdir()
    (bench.root / "notes" / ".env").symlink_to(bench.root / "plain")

    assert bench.shell(command).verdict == "ask"


def test_names_of_secrets_may_be_listed(bench: Bench) -> None:
    assert bench.shell("ls -la .env").verdict == "allow"
    assert bench.shell("find . -name .env").verdict == "allow"


@pytest.mark.parametrize(
    "command", ["grep -r KEY .", "grep -rn KEY", "grep -R KEY", "diff sub other"]
)
def test_a_search_through_a_folder_asks_when_a_secret_lies_in_it(
    bench: Bench, command: str
) -> None:
    (bench.root / "other").mkdir()
    assert bench.shell(command).verdict == "allow"

    (bench.root / "sub" / ".env").touch()

    found = bench.shell(command)
    assert found.verdict == "ask"
    assert "sub/.env" in found.reason


@pytest.mark.parametrize("command", ["grep -R KEY", "grep -rR KEY sub", "diff sub other"])
@pytest.mark.parametrize("target", ["../notes", "../gone", "sub/../.env"])
def test_what_follows_links_asks_when_one_leads_elsewhere(
    bench: Bench, command: str, target: str
) -> None:
    (bench.root / "other").mkdir()
    (bench.root / "sub" / "a.txt").touch()
    (bench.root / "sub" / "fine").symlink_to("a.txt")
    assert bench.shell(command).verdict == "allow"

    (bench.root / "sub" / "link").symlink_to(bench.root / target)

    found = bench.shell(command)
    assert (found.verdict, "link elsewhere" in found.reason) == ("ask", True), found
    assert bench.shell("grep -r KEY sub").verdict == "allow"


def test_a_search_through_a_huge_folder_asks(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lararium_daemon.permissions.read_only.secrets.MAX_ENTRIES", 5)
    for number in range(9):
        (bench.root / "sub" / str(number)).touch()

    assert "too large" in bench.shell("grep -r x sub").reason


def test_after_a_change_of_folder_every_folder_counts(bench: Bench) -> None:
    allow = ["Bash(cd *)"]

    assert bench.shell("cd sub && cat a", allow=allow).verdict == "allow"
    assert bench.shell("cd sub && cat ../a", allow=allow).verdict == "ask"  # cd may fail
