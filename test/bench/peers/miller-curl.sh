#!/bin/sh
# Miller brings the values into form and cuts the records into files of 500, curl posts four of them at a time.
set -eu
file=$1 format=$2 url=$3
case $format in
  csv) input="--icsv" ;;
  semicolon) input="--icsv --ifs ;" ;;
  json) input="--ijson" ;;
  ndjson) input="--ijsonl" ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# $input is meant to be split into words.
mlr -S $input --ojson --no-jvstack --from "$file" put '
  $date_billed = $date_billed[7:10] . "-" . $date_billed[4:5] . "-" . $date_billed[1:2];
  $date_closed = $date_closed[7:10] . "-" . $date_closed[4:5] . "-" . $date_closed[1:2];
  $actual_billable_amount = ssub(ssub($actual_billable_amount, " ", ""), ",", ".");
  if ($cle == "") { unset $cle }
' then split -n 500 --prefix "$work/batch"

first=yes
for batch in "$work"/batch_*.json; do
  [ $first = yes ] || echo next
  first=no
  printf 'url = "%s/api/items/commandes/"\ndata-binary = "@%s"\n' "$url" "$batch"
  printf 'header = "content-type: application/json"\nheader = "access_token: bench"\nfail\noutput = "/dev/null"\n'
done >"$work/requests"
curl --silent --show-error --fail-early --parallel --parallel-max 4 --config "$work/requests"
