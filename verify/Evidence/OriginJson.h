// Origins as lines of JSON, and what all files of datasets read alike.
#pragma once

#include "verify/Evidence/Shard.h"

#include <nlohmann/json.hpp>

namespace tilerig::verify {

using DatasetJson = nlohmann::ordered_json;

DatasetJson asJson(const Origin &origin, uint64_t digest);
// `place` leads the messages.
Result<OriginLine> originOf(const DatasetJson &json, const std::string &place);

std::string printDigest(uint64_t digest);
Result<uint64_t> parseDigest(const DatasetJson &text, const std::string &place);

// One object; refuses text that is none.
Result<DatasetJson> parseObject(std::string_view text, const std::string &place);
// Values by key, refused where they are missing or of another type.
Result<std::string> textIn(const DatasetJson &json, const char *key, const std::string &place);
Result<uint64_t> countIn(const DatasetJson &json, const char *key, const std::string &place);
Result<std::map<std::string, uint64_t>> countsIn(const DatasetJson &json, const char *key,
                                                 const std::string &place);
// That a file is of that type and of the evidence that this version has.
Status checkFileType(const DatasetJson &json, std::string_view type, const std::string &place);

} // namespace tilerig::verify
