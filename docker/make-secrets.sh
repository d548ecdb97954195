#!/bin/sh
# Draws the secrets that compose.yaml hands to its services, once, into docker/secrets. What is there stays; what the
# docker/.env of an older release says is taken over. Only the owner of the folder can enter it; the files can be read by
# the users inside of the containers, to whom they are handed one by one.
set -eu
umask 077
cd "$(dirname "$0")"
mkdir -p secrets

from_env() { if [ -f .env ]; then sed -n "s/^$1=//p" .env | tail -n 1; fi; }
write() {
  if [ ! -s "secrets/$1" ]; then printf '%s\n' "$2" > "secrets/$1"; fi
  chmod 444 "secrets/$1"
}
draw() {
  known=$(from_env "$2")
  write "$1" "${known:-$($3)}"
}
hex() { openssl rand -hex 24; }
key() { openssl rand -base64 32; }

draw postgres_admin_password POSTGRES_ADMIN_PASSWORD hex
draw postgres_password POSTGRES_PASSWORD hex
draw redis_password REDIS_PASSWORD hex
draw secrets_key SECRETS_KEY key
redis=$(cat secrets/redis_password)
write redis_conf "requirepass $redis"
write redis_url "redis://:$redis@redis:6379"
write database_url "postgres://atrium:$(cat secrets/postgres_password)@postgres:5432/atrium"
if [ -f .env ] && grep -qE '^(POSTGRES_(ADMIN_)?PASSWORD|REDIS_PASSWORD|SECRETS_KEY)=.' .env; then
  echo 'docker/secrets holds the secrets of docker/.env now: remove POSTGRES_ADMIN_PASSWORD, POSTGRES_PASSWORD, REDIS_PASSWORD and SECRETS_KEY there.'
fi
