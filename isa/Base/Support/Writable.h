// Checks that an output file can be written, before the long computation of its content.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string>

namespace tilerig {

// Succeeds if OutputFile::create would, and leaves nothing behind. A pipe is not opened: its reader would see
// the closing as the end of the output, and without a reader opening it would block.
Status checkWritable(const std::string &path);

// The error for a failed write to standard output, from errno: a full disk behind a redirection must not
// count as success.
Error standardOutputError();

} // namespace tilerig
