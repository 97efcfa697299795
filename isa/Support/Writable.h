// Whether a file can be written, asked before a long computation of what it is to hold.
#pragma once

#include "isa/Support/Error.h"

#include <string>

namespace tilerig {

// Succeeds if OutputFile::create would; leaves nothing behind. A pipe is not opened: its reader would take
// that for the whole output, and without a reader the call would not return.
Status checkWritable(const std::string &path);

// What to say, by errno, where output did not arrive: a full disk behind a redirection must not pass for
// success.
Error standardOutputError();

} // namespace tilerig
