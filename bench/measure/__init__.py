"""The benchmarks of the project: each module is one, but for four that all of them use.

program   runs one program and says what it took; finds and builds programs
turns     lets several programs take turns, and stops if their answers differ
answers   reads digests from what programs print
record    tables, the machine, and the files in bench/record

A benchmark compares answers before it compares times, lets the programs take turns in random order, gives the minimum and the median,
and asserts no time.
"""
