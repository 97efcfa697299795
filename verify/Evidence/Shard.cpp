#include "verify/Evidence/Shard.h"

#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Tensor/Npz.h"
#include "verify/Evidence/Densities.h"
#include "verify/Evidence/OriginJson.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig::verify {

namespace {

constexpr int64_t side = evidenceSide;

Shape shapeOf(std::string_view tensor, size_t rows) {
  const auto n = static_cast<int64_t>(rows);
  if (tensor == "channels")
    return {n, static_cast<int64_t>(numChannels), side, side};
  if (tensor == "picture")
    return {n, static_cast<int64_t>(picturePlanes), side, side};
  if (tensor == "features")
    return {n, static_cast<int64_t>(numFeatures)};
  return {n};
}

// The tensors of a shard (the samples of one network): the rows of all samples, concatenated.
TensorMap tensorsOf(const std::vector<Sample> &samples) {
  const size_t rows = samples.size();
  Tensor channels(DType::u8, shapeOf("channels", rows)), picture(DType::u8, shapeOf("picture", rows)),
      features(DType::f32, shapeOf("features", rows)), classes(DType::u8, shapeOf("class", rows)),
      digests(DType::u64, shapeOf("digest", rows));
  auto put = [&](const Tensor &from, Tensor &to, size_t row) {
    std::ranges::copy(from.bytes(),
                      to.mutableBytes().begin() + static_cast<ptrdiff_t>(row * from.sizeBytes()));
  };
  for (size_t row = 0; row < rows; ++row) {
    const Evidence &evidence = samples[row].evidence;
    put(evidence.channels, channels, row);
    put(evidence.picture, picture, row);
    std::ranges::copy(evidence.features,
                      features.mutableAs<float>().begin() + static_cast<ptrdiff_t>(row * numFeatures));
    classes.mutableAs<uint8_t>()[row] = static_cast<uint8_t>(samples[row].origin.bugClass);
    digests.mutableAs<uint64_t>()[row] = digestOf(evidence);
  }
  TensorMap tensors;
  auto add = [&](const char *name, Tensor tensor) { (void)tensors.add(name, std::move(tensor)); };
  add("channels", std::move(channels));
  add("picture", std::move(picture));
  add("features", std::move(features));
  add("class", std::move(classes));
  add("digest", std::move(digests));
  return tensors;
}

// Loads one tensor of a shard. Checks its type and shape in the file's header before allocating memory.
Result<Tensor> loadAs(const NpzReader &archive, const char *name, DType type, size_t rows,
                      const std::string &place) {
  TILERIG_TRY(const NpyHeader header, archive.header(name));
  const Shape due = shapeOf(name, rows);
  if (header.dtype != type || header.shape != due)
    return invalidInput(place,
                        fmt::format("tensor '{}' is {} {}, expected {} {}", name, nameOf(header.dtype),
                                    showShape(header.shape), nameOf(type), showShape(due)),
                        "remove this shard, and make it again with tilerig dataset --resume");
  return archive.load(name);
}

// Checks that both files of a shard (.npz and .jsonl) agree.
Status checkAgainstLines(const Shard &shard, const ShardLines &lines, const std::string &place) {
  for (size_t row = 0; row < lines.rows.size(); ++row) {
    const OriginLine &line = lines.rows[row];
    if (shard.classes.as<uint8_t>()[row] != static_cast<uint8_t>(line.origin.bugClass) ||
        shard.digests.as<uint64_t>()[row] != line.digest)
      return invalidInput(place, fmt::format("row {} differs from the same row of the .jsonl file", row),
                          "remove both files, and make them again with tilerig dataset --resume");
  }
  return success();
}

} // namespace

std::string printShardLines(const std::vector<Sample> &samples,
                            const std::map<std::string, uint64_t> &counts) {
  const Json head = {{"file_type", "SampleShard"},
                     {"evidence_version", evidenceVersion},
                     {"rows", samples.size()},
                     {"counts", counts}};
  std::string lines = head.dump() + "\n";
  for (const Sample &sample : samples)
    lines += asJson(sample.origin, digestOf(sample.evidence))
                 .dump(-1, ' ', false, Json::error_handler_t::replace) +
             "\n";
  return lines;
}

Status writeShard(const std::string &stem, const std::vector<Sample> &samples,
                  const std::map<std::string, uint64_t> &counts) {
  TILERIG_CHECK_OK(writeText(stem + ".jsonl", printShardLines(samples, counts)));
  return writeNpz(stem + ".npz", tensorsOf(samples), {.deflate = true});
}

Result<ShardLines> readShardLines(const std::string &stem) {
  const std::string path = stem + ".jsonl";
  TILERIG_TRY(const std::string text, readText(path));
  return parseShardLines(text, path);
}

static Result<ShardLines> linesIn(std::string_view text, const std::string &path) {
  ShardLines lines;
  size_t number = 0;
  for (size_t begin = 0; begin < text.size(); ++number) {
    const size_t end = text.find('\n', begin);
    const std::string place = fmt::format("{}:{}", path, number + 1);
    if (end == text.npos)
      return invalidInput(place, "the line is incomplete: the file was truncated");
    TILERIG_TRY(const Json json, parseJsonLine(text.substr(begin, end - begin), path, number + 1));
    const JsonPlace object{&json, place};
    begin = end + 1;
    if (number == 0) {
      TILERIG_CHECK_OK(checkFileType(object, "SampleShard"));
      TILERIG_TRY(lines.head.rows, object.at("rows").wholeNumber<uint64_t>());
      TILERIG_TRY(lines.head.counts, countsIn(object.at("counts")));
      continue;
    }
    TILERIG_TRY(OriginLine line, originOf(object));
    lines.rows.push_back(std::move(line));
  }
  if (number == 0 || lines.rows.size() != lines.head.rows)
    return invalidInput(path,
                        fmt::format("the file has {} rows, expected {}", lines.rows.size(), lines.head.rows));
  return lines;
}

Result<ShardLines> parseShardLines(std::string_view text, const std::string &path) {
  return advised(linesIn(text, path), "remove this shard, and make it again with tilerig dataset --resume");
}

Result<Shard> readShard(const std::string &stem) {
  TILERIG_TRY(ShardLines lines, readShardLines(stem));
  const std::string path = stem + ".npz";
  TILERIG_TRY(const NpzReader archive, NpzReader::open(path));
  const size_t rows = lines.rows.size();
  Shard shard;
  TILERIG_TRY(shard.channels, loadAs(archive, "channels", DType::u8, rows, path));
  TILERIG_TRY(shard.picture, loadAs(archive, "picture", DType::u8, rows, path));
  TILERIG_TRY(shard.features, loadAs(archive, "features", DType::f32, rows, path));
  TILERIG_TRY(shard.classes, loadAs(archive, "class", DType::u8, rows, path));
  TILERIG_TRY(shard.digests, loadAs(archive, "digest", DType::u64, rows, path));
  TILERIG_CHECK_OK(checkAgainstLines(shard, lines, path));
  for (OriginLine &line : lines.rows)
    shard.origins.push_back(std::move(line.origin));
  return shard;
}

} // namespace tilerig::verify
