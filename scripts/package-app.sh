#!/usr/bin/env bash
# Makes a folder that runs one app, or the migrations, by itself: its built code, the libs that it links, and its
# production dependencies. Usage: scripts/package-app.sh api|indexer|workflow-runner|migrate <empty folder>
# The Dockerfile's targets and the test of them both run this. The repository must be built (npm run build).
set -euo pipefail

app=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd -P "$(dirname "${BASH_SOURCE[0]}")/.."

case $app in
  api | indexer | workflow-runner) name=@app/$app ;;
  migrate) name=@app/entities ;;
  *) echo "There is no app named $app." >&2 && exit 2 ;;
esac

# What it needs of what is installed here, by the lock file: installing it anew would unpack half a gigabyte again.
needed=$(npm ls --workspace="$name" --include-workspace-root=false --omit=dev --all --parseable --loglevel=error)
cp package.json package-lock.json .npmrc "$out/"
packages=()
while IFS= read -r package; do
  path=${package#"$PWD"/}
  case $path in
    node_modules/@app/*)
      mkdir -p "$out/node_modules/@app"
      cp -P "$path" "$out/$path"
      workspace=$(cd "$path" && pwd -P)
      workspace=${workspace#"$PWD"/}
      mkdir -p "$out/$workspace"
      cp "$workspace/package.json" "$out/$workspace/"
      cp -R "$workspace/dist" "$out/$workspace/dist"
      # What browsers are given of it.
      if [ -d "$workspace/browser" ]; then cp -R "$workspace/browser" "$out/$workspace/browser"; fi
      find "$out/$workspace/dist" \( -name '*.d.ts' -o -name '*.tsbuildinfo' -o -name '*.d.ts.map' \) -delete
      ;;
    # Comes with the package that it stands in.
    *node_modules/*/node_modules/*) ;;
    *node_modules/*) packages+=("$path") ;;
  esac
done <<<"$needed"
# All at once: there are hundreds of them. Nobody writes to them, so they are linked where one disk has both (GNU cp).
if cp --link package.json "$out/.linked" 2>/dev/null && rm "$out/.linked"; then
  cp --recursive --link --no-dereference --parents "${packages[@]}" "$out/"
else
  tar -cf - "${packages[@]}" | tar -xof - -C "$out"
fi
