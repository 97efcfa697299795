// Reads and writes the origin of a sample (Sample.h) as one line of JSON. Also contains helpers that all
// readers of dataset files share.
#pragma once

#include "isa/Base/Support/Json.h"
#include "verify/Evidence/Shard.h"

namespace tilerig::verify {

using DatasetJson = nlohmann::ordered_json;

DatasetJson asJson(const Origin &origin, uint64_t digest);
// Reads an origin from a line of a shard's file. `place` is the prefix of error messages.
Result<OriginLine> originOf(const DatasetJson &json, const std::string &place);

std::string printDigest(uint64_t digest);
Result<uint64_t> parseDigest(const DatasetJson &text, const std::string &place);

// Parses a JSON object; refuses any other text. `place` is the prefix of error messages.
Result<DatasetJson> parseObject(std::string_view text, const std::string &place);
// The value of a key; refused if it is missing or of another type.
Result<std::string> textIn(const DatasetJson &json, const char *key, const std::string &place);
Result<uint64_t> countIn(const DatasetJson &json, const char *key, const std::string &place);
Result<std::map<std::string, uint64_t>> countsIn(const DatasetJson &json, const char *key,
                                                 const std::string &place);
// Checks that a file has the given type and the current version of the evidence.
Status checkFileType(const DatasetJson &json, std::string_view type, const std::string &place);

} // namespace tilerig::verify
