#include "verify/Check/Baseline.h"

#include "verify/Records/RecordFile.h"

#include <filesystem>
#include <map>

namespace tilerig::verify {

namespace {

// Kind and name of a record, by which the same record is looked up in the baseline and in the new check.
using Key = std::pair<std::string, std::string>;

Key keyOf(const Json &record) { return {record["record"], record["name"]}; }

Json fieldOf(const Json &record, const char *comparison, const char *field) {
  const Json inner = record.value(comparison, Json());
  return inner.is_object() ? inner.value(field, Json()) : Json();
}

// The fields of a tensor's record that are compared with the baseline's. They are results of comparisons of
// the device, the oracle (expected tensors) and the original model, so at least one of them changes if a bit
// of the tensor changes.
Json fingerprint(const Json &record) {
  Json print = Json::array();
  for (const char *field : {"status", "dtype", "shape", "different", "max_abs", "bound"})
    print.push_back(record.value(field, Json()));
  for (const char *comparison : {"noise", "truth"})
    for (const char *field : {"status", "max_abs", "rms", "mean_error"})
      print.push_back(fieldOf(record, comparison, field));
  return print;
}

std::string inWords(const Json &record) {
  std::string words = record["status"];
  if (const Json decibels = fieldOf(record, "truth", "sqnr_db"); decibels.is_number())
    words += " (" + std::to_string(decibels.get<double>()) + " dB)";
  return words;
}

Json change(const Key &key, const char *kindOfChange, std::string before, std::string now) {
  return {{"record", "baseline"},        {"of", key.first},
          {"name", key.second},          {"change", kindOfChange},
          {"before", std::move(before)}, {"now", std::move(now)}};
}

} // namespace

std::vector<Json> compareWithBaseline(const std::vector<Json> &now, const std::vector<Json> &before) {
  std::map<Key, const Json *> left;
  for (const Json &record : before)
    if (isJudged(record))
      left[keyOf(record)] = &record;
  std::vector<Json> changes;
  for (const Json &record : now) {
    if (!isJudged(record))
      continue;
    const Key key = keyOf(record);
    const auto entry = left.find(key);
    const Json *old = entry == left.end() ? nullptr : entry->second;
    if (old)
      left.erase(entry);
    const std::string was = old ? inWords(*old) : "absent", is = inWords(record);
    if (!isMatch(record) && (!old || isMatch(*old)))
      changes.push_back(change(key, "new", was, is));
    else if (old && isMatch(record) && !isMatch(*old))
      changes.push_back(change(key, "fixed", was, is));
    else if (!old || fingerprint(record) != fingerprint(*old))
      changes.push_back(change(key, "changed", was, is));
  }
  for (const Json &record : before)
    if (isJudged(record) && left.contains(keyOf(record)))
      changes.push_back(change(keyOf(record), "gone", inWords(record), "absent"));
  return changes;
}

Result<std::vector<Json>> readBaseline(const std::string &path) {
  std::error_code ignored;
  const std::string file = std::filesystem::is_directory(path, ignored) ? path + "/records.jsonl" : path;
  TILERIG_TRY(std::vector<Json> records, readRecords(file));
  if (records.back()["record"] != "summary")
    return invalidInput(file,
                        "the last line is not the summary record: the check that wrote the file was "
                        "interrupted, or the file was truncated",
                        "create the baseline again with tilerig check --report");
  return records;
}

} // namespace tilerig::verify
