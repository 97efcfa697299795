#include "isa/Tensor/Npz.h"

#include "isa/Support/File.h"
#include "isa/Tensor/Inflate.h"
#include "isa/Tensor/Npy.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig {

static constexpr std::string_view suffix = ".npy";

// numpy takes entries without the suffix under their full name.
static std::string tensorName(const std::string &entryName) {
  return entryName.ends_with(suffix) ? entryName.substr(0, entryName.size() - suffix.size()) : entryName;
}

Result<NpzReader> NpzReader::open(const std::string &path, NpzReadOptions options) {
  TRY(MappedFile mapped, MappedFile::open(path));
  auto file = std::make_shared<const MappedFile>(std::move(mapped));
  return parse(file->bytes(), file, path, options);
}

Result<NpzReader> NpzReader::parse(std::span<const std::byte> archive, std::shared_ptr<const void> owner,
                                   std::string place, NpzReadOptions options) {
  NpzReader reader;
  reader.place = std::move(place);
  reader.options = options;
  reader.owner = std::move(owner);
  TRY(reader.entries, readZipDirectory(archive, reader.place));
  for (const ZipEntry &entry : reader.entries) {
    reader.tensorNames.push_back(tensorName(entry.name));
    const std::string &name = reader.tensorNames.back();
    if (!reader.indices.try_emplace(name, reader.indices.size()).second)
      return invalidInput(reader.place, fmt::format("two tensors named '{}'", name));
  }
  return reader;
}

Result<const ZipEntry *> NpzReader::find(std::string_view name) const {
  auto found = indices.find(name);
  if (found == indices.end())
    return invalidInput(place, fmt::format("no tensor named '{}'", name),
                        "there are " + showNames(tensorNames));
  return &entries[found->second];
}

std::string NpzReader::placeOf(const ZipEntry &entry) const {
  return fmt::format("{}: entry '{}'", place, entry.name);
}

Result<NpyHeader> NpzReader::readHeader(const ZipEntry &entry) const {
  std::string where = placeOf(entry);
  std::vector<std::byte> unpacked;
  std::span<const std::byte> beginning = entry.data;
  if (entry.deflated) {
    unpacked.resize(std::min<uint64_t>(entry.size, maxNpyHeaderBytes));
    auto read = Inflater(entry.data).read(unpacked);
    if (!read)
      return std::move(read).error().within(where);
    beginning = std::span(unpacked).first(*read);
  }
  TRY(NpyHeader header, parseNpyHeader(beginning, where));
  // Before any memory is taken for it, the shape must agree with the archive.
  if (entry.size - header.dataOffset != header.dataBytes)
    return invalidInput(where, fmt::format("{} bytes of data for {} {}, which needs {}",
                                           entry.size - header.dataOffset, nameOf(header.dtype),
                                           showShape(header.shape), header.dataBytes));
  return header;
}

Status NpzReader::checkSum(const ZipEntry &entry, uint32_t crc) const {
  if (crc == entry.crc)
    return success();
  return invalidInput(placeOf(entry),
                      fmt::format("is damaged: its CRC-32 is {:08x}, not {:08x}", crc, entry.crc));
}

// Unpacks into one part after the other, which must be all there is.
static Status inflateAll(std::span<const std::byte> packed, std::initializer_list<std::span<std::byte>> parts,
                         uint32_t &crc) {
  Inflater inflater(packed);
  for (std::span<std::byte> part : parts) {
    TRY(size_t read, inflater.read(part));
    if (read != part.size())
      return invalidInput("", "deflated data end before the tensor does");
    crc = crc32(part, crc);
  }
  TRY(bool ended, inflater.atEnd());
  return ended ? success() : invalidInput("", "deflated data go on after the tensor");
}

Result<Tensor> NpzReader::loadStored(const ZipEntry &entry, const NpyHeader &header) const {
  if (options.checkSums)
    CHECK_OK(checkSum(entry, crc32(entry.data)));
  return decodeNpyData(header, entry.data.subspan(header.dataOffset), owner, placeOf(entry));
}

// Straight into the tensor; what needs converting takes a second one for the moment.
Result<Tensor> NpzReader::loadDeflated(const ZipEntry &entry, const NpyHeader &header) const {
  std::string where = placeOf(entry);
  auto tensor = Tensor::makeUninitialised(header.dtype, header.shape);
  if (!tensor)
    return std::move(tensor).error().within(where);
  std::vector<std::byte> head(header.dataOffset);
  uint32_t crc = 0;
  if (auto status = inflateAll(entry.data, {std::span(head), tensor->mutableBytes()}, crc); !status)
    return std::move(status).error().within(where);
  if (options.checkSums)
    CHECK_OK(checkSum(entry, crc));
  if (!header.isNative())
    return decodeNpyData(header, tensor->bytes(), nullptr, where);
  CHECK_OK(checkBools(*tensor, where));
  return tensor;
}

Result<NpyHeader> NpzReader::header(std::string_view name) const {
  TRY(const ZipEntry *entry, find(name));
  return readHeader(*entry);
}

Result<Tensor> NpzReader::load(std::string_view name) const {
  TRY(const ZipEntry *entry, find(name));
  TRY(NpyHeader header, readHeader(*entry));
  return entry->deflated ? loadDeflated(*entry, header) : loadStored(*entry, header);
}

Result<TensorMap> NpzReader::loadAll() const {
  TensorMap tensors;
  for (const std::string &name : tensorNames) {
    TRY(Tensor tensor, load(name));
    CHECK_OK(tensors.add(name, std::move(tensor)));
  }
  return tensors;
}

Result<NpzWriter> NpzWriter::create(const std::string &path, ZipWriteOptions options) {
  TRY(ZipWriter zip, ZipWriter::create(path, options));
  return NpzWriter(std::move(zip));
}

Status NpzWriter::add(std::string_view name, const Tensor &tensor) {
  std::string header = formatNpyHeader(tensor.dtype(), tensor.shape());
  return zip.add(std::string(name) + std::string(suffix), std::as_bytes(std::span(header)), tensor.bytes());
}

Result<TensorMap> readNpz(const std::string &path, NpzReadOptions options) {
  TRY(NpzReader reader, NpzReader::open(path, options));
  return reader.loadAll();
}

Status writeNpz(const std::string &path, const TensorMap &tensors, ZipWriteOptions options) {
  TRY(NpzWriter writer, NpzWriter::create(path, options));
  for (const NamedTensor &entry : tensors)
    CHECK_OK(writer.add(entry.name, entry.tensor));
  return writer.commit();
}

} // namespace tilerig
