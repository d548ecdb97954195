#!/usr/bin/env bash
# Makes a folder that runs one app, or the migrations, by itself: its built code, the libs that it links, and its
# production dependencies. Usage: scripts/package-app.sh api|indexer|workflow-runner|migrate <empty folder>
# The Dockerfile's targets and the test of them both run this. The repository must be built (npm run build).
set -euo pipefail

app=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case $app in
  api | indexer | workflow-runner) workspace=apps/$app name=@app/$app ;;
  migrate) workspace=libs/entities name=@app/entities ;;
  *) echo "There is no app named $app." >&2 && exit 2 ;;
esac

# npm compares the lock file with every workspace, so that all package.json files have to be there at first.
cp package.json package-lock.json .npmrc "$out/"
for manifest in apps/*/package.json libs/*/package.json; do
  mkdir -p "$out/$(dirname "$manifest")"
  cp "$manifest" "$out/$manifest"
done

(cd "$out" && npm ci --workspace="$name" --include-workspace-root=false --omit=dev --ignore-scripts --prefer-offline \
  --engine-strict=false --loglevel=error)

for folder in "$out"/apps/* "$out"/libs/*; do
  used=${folder#"$out"/}
  if [ "$used" = "$workspace" ] || [ -e "$out/node_modules/@app/${used#*/}" ]; then
    cp -R "$used/dist" "$folder/dist"
    find "$folder/dist" \( -name '*.d.ts' -o -name '*.tsbuildinfo' -o -name '*.d.ts.map' \) -delete
  else
    rm -rf "$folder"
  fi
done
