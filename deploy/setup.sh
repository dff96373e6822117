#!/bin/sh
# Creates or completes the environment: $VENV with exactly the packages of $LOCK, and this checkout in it; then $STAMP.
# $PYTHON chooses the Python; left empty, that of a usable $VENV, or else the first one found that is new enough.
# Run by the Makefile, in the root of the checkout.
set -eu

version='import sys; print(sys.version)'
new_enough='import sys; sys.exit(sys.version_info < (3, 11))'

find_python() {
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11 python}; do
        if "$candidate" -c "$new_enough" >/dev/null 2>&1; then
            echo "$candidate"
            return
        fi
    done
    found=$("${PYTHON:-python3}" --version 2>/dev/null || echo "none")
    echo "Levata needs Python 3.11 or later; ${PYTHON:-python3} is: $found." >&2
    echo "Install one, or name one: make PYTHON=/path/to/python3.12 ..." >&2
    return 1
}

# What stands there may be of another Python, moved, or interrupted in the making: then it is made anew.
usable() {
    "$VENV/bin/python" -c "$new_enough" >/dev/null 2>&1 || return 1
    [ -z "$PYTHON" ] || [ "$("$VENV/bin/python" -c "$version")" = "$("$PYTHON" -c "$version")" ] || return 1
    "$VENV/bin/python" -m pip --version >/dev/null 2>&1
}

create() {
    python=$(find_python) || exit 1
    echo "Creating $VENV with $("$python" --version) ..."
    rm -rf "$VENV"
    if ! output=$("$python" -m venv "$VENV" 2>&1); then
        rm -rf "$VENV"
        echo "$output" >&2
        echo "Python could not create a virtual environment. On Debian and Ubuntu: apt install python3-venv." >&2
        exit 1
    fi
}

pip() {
    "$VENV/bin/python" -m pip --disable-pip-version-check "$@" --root-user-action ignore
}

# Shows how far pip is; keeps what it complains of for the case that it fails.
install() {
    wanted=$(grep -c '^[a-z].*==' "$LOCK")
    rm -f "$stamps/failed"
    { pip install "$@" 2>"$stamps/setup.log" || echo 1 >"$stamps/failed"; } |
        awk -v wanted="$wanted" '/^Collecting/ && ++seen % 20 == 0 { printf "  %d of %d\n", seen, wanted; fflush() }'
    if [ -e "$stamps/failed" ]; then
        cat "$stamps/setup.log" >&2
        echo "The packages could not be installed; what is above says why." >&2
        exit 1
    fi
}

# One at a time: `make play` in a second terminal waits for the `make up` that is still setting up in the first.
stamps=$(dirname "$STAMP")
turn="$stamps/setting-up"
mkdir -p "$stamps"
until (set -C && echo $$ >"$turn") 2>/dev/null; do
    holder=$(cat "$turn" 2>/dev/null) || continue
    if [ -n "$holder" ] && kill -0 "$holder" 2>/dev/null; then
        sleep 1
    else
        rm -f "$turn"
    fi
done
trap 'rm -f "$turn" "$stamps/failed"' EXIT
trap 'exit 130' INT TERM HUP
if [ -e "$STAMP" ] && usable; then
    exit 0
fi

rm -f "$stamps"/environment-*
usable || create
echo "Installing what $LOCK lists (a minute or two the first time) ..."
install --require-hashes -r "$LOCK"
install --no-deps --no-build-isolation -e .
touch "$STAMP"
echo "The environment is ready."
