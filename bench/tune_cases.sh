#!/usr/bin/env bash
# Tunes every case of the bench.
#
#   bench/tune_cases.sh PROGRAM [ARGUMENTS of foldtune tune, such as --db FILE --n 2^10..2^30:4]
set -euo pipefail

if (($# == 0)); then
  sed -n '2,/^set/{/^#/p}' "${BASH_SOURCE[0]}"
  exit 2
fi
program=$1
shift

# The arguments of the script come last.
tune() { "$program" tune "$@" "${arguments[@]}"; }
arguments=("$@")

tune --type f32 \
  --op sum,max,argmax,minmax,mean,variance,logsumexp,nrm2,asum,argabsmax,all,any,count_nonzero,dot
tune --type f64 --op sum,min
tune --type i32,i16,i8 --op sum --accumulator i32
tune --type u32 --op sum --accumulator u32
tune --type i64,u8,f16,bf16 --op sum
tune --type i32,f16,bf16 --op max
tune --type f16 --op argmin,dot
tune --op custom --name squared_distance --inputs f32,f32 --map '(x - y) * (x - y)'
for distribution in uniform zipf constant; do
  tune --op histogram --type u8 --counter u32 --binning key --distribution "$distribution"
done
tune --op histogram --type f32 --counter u32 --bins 256
