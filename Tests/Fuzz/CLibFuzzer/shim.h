#pragma once
#include <stddef.h>
#include <stdint.h>

// The entry of the fuzzing engine that the compiler links with -sanitize=fuzzer; no header declares it.
int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));
