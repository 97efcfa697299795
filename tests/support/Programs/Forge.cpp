#include "tests/support/Programs/Forge.h"

#include "isa/Base/Support/Hash.h"

#include <cstring>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/stubs/logging.h>

namespace tilerig::test {

uint64_t wordAt(std::span<const std::byte> file, size_t offset) {
  uint64_t value = 0;
  if (file.size() >= 8 && offset <= file.size() - 8)
    std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

void setWord(FileBytes &file, size_t offset, uint64_t value) {
  if (file.size() >= 8 && offset <= file.size() - 8)
    std::memcpy(file.data() + offset, &value, sizeof value);
}

std::string serialised(const google::protobuf::Message &message) {
  google::protobuf::LogSilencer silence;
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  message.SerializeToCodedStream(&coded);
  coded.Trim();
  return bytes;
}

bool readMetadata(std::span<const std::byte> file, proto::Metadata &metadata) {
  google::protobuf::LogSilencer silence;
  uint64_t offset = wordAt(file, metadataOffsetAt);
  if (offset > file.size())
    return false;
  auto bytes = file.subspan(offset);
  return metadata.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
}

void replaceMetadata(FileBytes &file, const std::string &bytes) {
  if (uint64_t offset = wordAt(file, metadataOffsetAt); offset <= file.size())
    file.resize(offset);
  auto *begin = reinterpret_cast<const std::byte *>(bytes.data());
  file.insert(file.end(), begin, begin + bytes.size());
}

void sealHeader(FileBytes &file) {
  if (file.size() >= 128)
    setWord(file, checksumAt, hashBytes(std::span(file).first(checksumAt)));
}

static uint64_t fold(uint64_t hash, uint64_t number) { return combineHashes(hash, number); }
static uint64_t fold(uint64_t hash, std::span<const std::byte> bytes) { return fold(hash, hashBytes(bytes)); }
static uint64_t fold(uint64_t hash, const std::string &text) { return fold(hash, hashText(text)); }

static std::span<const std::byte> part(std::span<const std::byte> file, const proto::Section &section) {
  if (section.offset() > file.size() || section.size() > file.size() - section.offset())
    return {};
  return file.subspan(section.offset(), section.size());
}

static uint64_t constantsHash(std::span<const std::byte> file, const proto::Metadata &metadata) {
  uint64_t hash = fold(0, static_cast<uint64_t>(metadata.constants_size()));
  for (const proto::Constant &constant : metadata.constants()) {
    hash = fold(hash, constant.address());
    hash = fold(hash, constant.data().size());
    hash = fold(hash, part(file, constant.data()));
  }
  return hash;
}

static uint64_t contentHash(std::span<const std::byte> file, const proto::Metadata &metadata) {
  uint64_t hash = fold(0, metadata.tiles());
  hash = fold(hash, static_cast<uint64_t>(metadata.stages_size()));
  for (const proto::Stage &stage : metadata.stages()) {
    hash = fold(hash, stage.name());
    hash = fold(hash, static_cast<uint64_t>(stage.phase()));
    if (stage.has_host()) {
      hash = fold(fold(hash, uint64_t{1}), serialised(stage.host()));
      continue;
    }
    hash = fold(fold(hash, uint64_t{0}), static_cast<uint64_t>(stage.device().tiles_size()));
    for (const proto::Section &section : stage.device().tiles())
      hash = fold(hash, part(file, section));
  }
  hash = fold(hash, constantsHash(file, metadata));
  hash = fold(hash, static_cast<uint64_t>(metadata.tensors_size()));
  for (const proto::Tensor &tensor : metadata.tensors())
    hash = fold(hash, serialised(tensor));
  return hash;
}

void sealMetadata(FileBytes &file) {
  setWord(file, fileSizeAt, file.size());
  if (uint64_t offset = wordAt(file, metadataOffsetAt); offset <= file.size()) {
    setWord(file, metadataSizeAt, file.size() - offset);
    setWord(file, metadataHashAt, hashBytes(std::span(file).subspan(offset)));
  }
}

void seal(FileBytes &file) {
  sealMetadata(file);
  proto::Metadata metadata;
  if (readMetadata(file, metadata)) {
    setWord(file, constantsHashAt, constantsHash(file, metadata));
    setWord(file, contentHashAt, contentHash(file, metadata));
  }
  sealHeader(file);
}

FileBytes forge(FileBytes file, const std::function<void(proto::Metadata &)> &change) {
  proto::Metadata metadata;
  if (readMetadata(file, metadata))
    change(metadata);
  replaceMetadata(file, serialised(metadata));
  seal(file);
  return file;
}

} // namespace tilerig::test
