// Reads and writes the origin of a sample of the classifier's dataset (Sample.h) as one line of JSON. Also
// contains helpers that all readers of dataset files share.
#pragma once

#include "isa/Base/Support/StrictJson.h"
#include "verify/Evidence/Shard.h"

namespace tilerig::verify {

Json asJson(const Origin &origin, uint64_t digest);
// Reads the origin of a sample from a line of a shard's file.
Result<OriginLine> originOf(const JsonPlace &object);

std::string printDigest(uint64_t digest);
Result<uint64_t> parseDigest(const JsonPlace &text);

// Reads a JSON object whose values are whole numbers.
Result<std::map<std::string, uint64_t>> countsIn(const JsonPlace &object);
// Checks that a file has the given type and was written with the current version of the evidence format.
Status checkFileType(const JsonPlace &file, std::string_view type);

} // namespace tilerig::verify
