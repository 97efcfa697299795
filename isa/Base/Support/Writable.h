// Checks that an output file can be written, before the long computation of its content.
#pragma once

#include "isa/Base/Support/Error.h"

#include <string>

namespace tilerig {

// Checks whether OutputFile::create would succeed, and leaves no file behind. A named pipe is not opened: its
// reader would take the closing for the end of the output, and without a reader the opening would block.
Status checkWritable(const std::string &path);

// The error for a failed write to standard output, from errno: a full disk behind a redirection must not
// count as success.
Error standardOutputError();

} // namespace tilerig
