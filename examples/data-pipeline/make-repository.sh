#!/bin/sh
# Makes a repository of orders in the directory given.
set -eu
mkdir -p "$1/orders"
cd "$1"
printf 'item,amount\ntea,3\ncup,8\ntea,4\n' > orders/north.csv
printf 'item,amount\ncup,5\npot,20\n' > orders/south.csv
git init -q -b main
git add .
git -c user.name=example -c user.email=example@example.invalid commit -q -m 'Orders'
