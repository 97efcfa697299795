#include "verify/Records/RecordFile.h"

#include "isa/Base/Support/File.h"
#include "isa/Base/Support/StrictJson.h"

#include <cerrno>
#include <cstring>
#include <fmt/core.h>

namespace tilerig::verify {

static Error cannotWrite(const std::string &path) {
  return invalidInput(path, std::string("cannot write: ") + std::strerror(errno));
}

Result<RecordFile> RecordFile::create(const std::string &path) {
  RecordFile records;
  records.path = path;
  records.file.reset(std::fopen(path.c_str(), "w"));
  if (!records.file)
    return cannotWrite(path);
  return records;
}

Status RecordFile::add(const Json &record) {
  const std::string line = asLine(record);
  if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size() || std::fflush(file.get()) != 0)
    return cannotWrite(path);
  return success();
}

Status RecordFile::close() {
  return std::fclose(file.release()) == 0 ? success() : Status(cannotWrite(path));
}

Result<std::vector<Json>> readRecords(const std::string &path) {
  TILERIG_TRY(const std::string text, readText(path));
  std::vector<Json> records;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const size_t line = records.size() + 1;
    TILERIG_TRY(Json record, parseJsonLine(std::string_view(text).substr(begin, end - begin), path, line));
    if (!record.is_object() || !record.contains("record"))
      return invalidInput(fmt::format("{}:{}", path, line),
                          "the line is not a record, that is, a JSON object with the key 'record'");
    records.push_back(std::move(record));
    begin = end + 1;
  }
  if (records.empty() || records[0]["record"] != "run")
    return invalidInput(path, "this is not a file of records",
                        "the first line of a file of records must be the record of a run");
  if (records[0].value("version", Json()) != recordsVersion)
    return unsupported(path, "the records have another version",
                       fmt::format("this version of tilerig reads version {} of records", recordsVersion));
  return records;
}

} // namespace tilerig::verify
