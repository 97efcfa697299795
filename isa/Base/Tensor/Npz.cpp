#include "isa/Base/Tensor/Npz.h"

#include "isa/Base/Support/Advice.h"
#include "isa/Base/Support/File.h"
#include "isa/Base/Support/MappedPages.h"
#include "isa/Base/Tensor/Bools.h"
#include "isa/Base/Tensor/Inflate.h"
#include "isa/Base/Tensor/Npy.h"

#include <algorithm>
#include <fmt/core.h>

namespace tilerig {

static constexpr std::string_view suffix = ".npy";

// The tensor's name: as in numpy, the name of the archive entry, without the suffix .npy if it has one.
static std::string tensorName(const std::string &entryName) {
  return entryName.ends_with(suffix) ? entryName.substr(0, entryName.size() - suffix.size()) : entryName;
}

static constexpr std::string_view remedyOfNpz = "save the tensors again with numpy.savez";

Result<NpzReader> NpzReader::open(const std::string &path, NpzReadOptions options) {
  TILERIG_TRY(MappedFile mapped, MappedFile::open(path));
  auto file = std::make_shared<const MappedFile>(std::move(mapped));
  TILERIG_TRY(NpzReader reader, advised(parse(file->bytes(), file, path, options), remedyOfNpz));
  reader.mapped = file->bytes();
  return reader;
}

Result<NpzReader> NpzReader::parse(std::span<const std::byte> archive, std::shared_ptr<const void> owner,
                                   std::string place, NpzReadOptions options) {
  NpzReader reader;
  reader.place = std::move(place);
  reader.options = options;
  reader.owner = std::move(owner);
  TILERIG_TRY(reader.entries, readZipDirectory(archive, reader.place));
  for (const ZipEntry &entry : reader.entries) {
    reader.tensorNames.push_back(tensorName(entry.name));
    const std::string &name = reader.tensorNames.back();
    if (!reader.indices.try_emplace(name, reader.indices.size()).second)
      return invalidInput(reader.place, fmt::format("there are two tensors named '{}'", name));
  }
  return reader;
}

Result<const ZipEntry *> NpzReader::find(std::string_view name) const {
  auto match = indices.find(name);
  if (match == indices.end())
    return invalidInput(place, fmt::format("there is no tensor named '{}'", name),
                        "available tensors: " + showNames(tensorNames));
  return &entries[match->second];
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
  TILERIG_TRY(NpyHeader header, parseNpyHeader(beginning, where));
  // Compare the size that the shape demands with the size of the entry, before any memory is allocated.
  if (entry.size - header.dataOffset != header.dataBytes)
    return invalidInput(where, fmt::format("the entry has {} bytes of data, but {} {} needs {}",
                                           entry.size - header.dataOffset, nameOf(header.dtype),
                                           showShape(header.shape), header.dataBytes));
  return header;
}

// Checks a stored (uncompressed) tensor of the archive in pieces, both its checksum and its bool values, and
// releases the memory pages of each piece, so that the tensor need not fit into memory.
Status NpzReader::verifyStored(const ZipEntry &entry, const NpyHeader &header) const {
  constexpr size_t stretch = size_t{1} << 20;
  uint32_t crc = 0;
  for (size_t begin = 0; begin < entry.data.size(); begin += stretch) {
    const auto part = entry.data.subspan(begin, std::min(stretch, entry.data.size() - begin));
    if (options.checkSums)
      crc = crc32(part, crc);
    const size_t head = std::min(part.size(), header.dataOffset - std::min(begin, header.dataOffset));
    if (header.dtype == DType::boolean)
      TILERIG_CHECK_OK(checkBoolBytes(part.subspan(head), begin + head - header.dataOffset, ""));
    if (!mapped.empty())
      releasePages(part, mapped);
  }
  return options.checkSums ? checkSum(entry, crc) : success();
}

Result<Tensor> NpzReader::loadStored(const ZipEntry &entry, const NpyHeader &header) const {
  if (options.checkSums)
    TILERIG_CHECK_OK(checkSum(entry, crc32(entry.data)));
  return decodeNpyData(header, entry.data.subspan(header.dataOffset), owner, "");
}

// Decompresses directly into the tensor; converting to native layout temporarily needs a second tensor.
Result<Tensor> NpzReader::loadDeflated(const ZipEntry &entry, const NpyHeader &header) const {
  TILERIG_TRY(Tensor tensor, Tensor::makeUninitialised(header.dtype, header.shape));
  std::vector<std::byte> head(header.dataOffset);
  EntryReader reader(entry, options.checkSums);
  TILERIG_CHECK_OK(reader.read(head));
  TILERIG_CHECK_OK(reader.read(tensor.mutableBytes()));
  if (!header.isNative())
    return decodeNpyData(header, tensor.bytes(), nullptr, "");
  TILERIG_CHECK_OK(checkBools(tensor, ""));
  return tensor;
}

Result<NpyHeader> NpzReader::header(std::string_view name) const {
  TILERIG_TRY(const ZipEntry *entry, find(name));
  return readHeader(*entry);
}

Result<Tensor> NpzReader::load(std::string_view name) const {
  TILERIG_TRY(const ZipEntry *entry, find(name));
  TILERIG_TRY(NpyHeader header, advised(readHeader(*entry), remedyOfNpz));
  auto tensor = entry->deflated ? loadDeflated(*entry, header) : loadStored(*entry, header);
  return advised(tensor ? std::move(tensor) : std::move(tensor).error().within(placeOf(*entry)), remedyOfNpz);
}

Result<TensorStream> NpzReader::stream(std::string_view name) const {
  TILERIG_TRY(const ZipEntry *entry, find(name));
  TILERIG_TRY(const NpyHeader header, advised(readHeader(*entry), remedyOfNpz));
  if (!owner || header.dataBytes < viewFromBytes || !header.isNative()) {
    TILERIG_TRY(Tensor tensor, load(name));
    return TensorStream(std::move(tensor));
  }
  TensorStream stream;
  stream.type = header.dtype;
  stream.dims = header.shape;
  stream.byteCount = header.dataBytes;
  stream.place = placeOf(*entry);
  stream.owner = owner;
  stream.mapped = mapped;
  if (entry->deflated) {
    stream.content = TensorStream::Packed{*entry, header.dataOffset, options.checkSums};
    return stream;
  }
  if (auto status = advised(verifyStored(*entry, header), remedyOfNpz); !status)
    return std::move(status).error().within(stream.place);
  stream.content = TensorStream::Placed{entry->data.subspan(header.dataOffset)};
  return stream;
}

Result<TensorMap> NpzReader::loadAll() const {
  TensorMap tensors;
  for (const std::string &name : tensorNames) {
    TILERIG_TRY(Tensor tensor, load(name));
    TILERIG_CHECK_OK(tensors.add(name, std::move(tensor)));
  }
  return tensors;
}

Result<NpzWriter> NpzWriter::create(const std::string &path, ZipWriteOptions options) {
  TILERIG_TRY(ZipWriter zip, ZipWriter::create(path, options));
  return NpzWriter(std::move(zip));
}

Status NpzWriter::add(std::string_view name, const Tensor &tensor) {
  std::string header = formatNpyHeader(tensor.dtype(), tensor.shape());
  return zip.add(std::string(name) + std::string(suffix), std::as_bytes(std::span(header)), tensor.bytes());
}

Result<TensorMap> readNpz(const std::string &path, NpzReadOptions options) {
  TILERIG_TRY(NpzReader reader, NpzReader::open(path, options));
  return reader.loadAll();
}

Status writeNpz(const std::string &path, const TensorMap &tensors, ZipWriteOptions options) {
  TILERIG_TRY(NpzWriter writer, NpzWriter::create(path, options));
  for (const NamedTensor &entry : tensors)
    TILERIG_CHECK_OK(writer.add(entry.name, entry.tensor));
  return writer.commit();
}

} // namespace tilerig
