// Reads and writes .npz files: named tensors, each an .npy file in a zip archive. The reader reads what
// numpy.savez and numpy.savez_compressed write, and numpy.load reads what the writer writes.
//
// Files may be larger than memory. A reader reads the directory and then only the requested tensors. A large
// stored (uncompressed) tensor is loaded as a view of the mapped file if it is aligned and in native layout,
// as in all files that NpzWriter writes. Any other tensor is copied into memory when it is loaded, but it can
// be read as a stream instead. A writer takes one tensor after another and keeps none. Every load verifies
// the entry's CRC-32, which reads all of its bytes once: a reference file that was damaged on disk would
// otherwise be reported as a defect of the device.
#pragma once

#include "isa/Base/Tensor/NpyHeader.h"
#include "isa/Base/Tensor/TensorMap.h"
#include "isa/Base/Tensor/TensorStream.h"
#include "isa/Base/Tensor/ZipReader.h"
#include "isa/Base/Tensor/ZipWriter.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

struct NpzReadOptions {
  // Whether to verify the CRC-32 of every entry that is read. Disable this for a program that reads a few
  // elements of huge tensors and trusts the file.
  bool checkSums = true;
};

class NpzReader {
public:
  static Result<NpzReader> open(const std::string &path, NpzReadOptions options = {});
  // Parses an archive in memory that `owner` keeps alive. Without an owner tensors are copied.
  static Result<NpzReader> parse(std::span<const std::byte> archive, std::shared_ptr<const void> owner,
                                 std::string place, NpzReadOptions options = {});

  // Names of the tensors in the order of the archive.
  const std::vector<std::string> &names() const { return tensorNames; }
  // Type and shape of the tensor with the given name, without its data.
  Result<NpyHeader> header(std::string_view name) const;
  Result<Tensor> load(std::string_view name) const;
  // Opens a tensor as a stream without allocating memory for it, unless it is small or must be converted
  // (big-endian, Fortran order): such a tensor is loaded. The checksum of a stored tensor is verified when
  // the stream is opened, that of a deflated one at every pass through the stream.
  Result<TensorStream> stream(std::string_view name) const;
  Result<TensorMap> loadAll() const;

private:
  NpzReader() = default;
  Result<const ZipEntry *> find(std::string_view name) const;
  std::string placeOf(const ZipEntry &entry) const;
  Result<NpyHeader> readHeader(const ZipEntry &entry) const;
  Result<Tensor> loadStored(const ZipEntry &entry, const NpyHeader &header) const;
  Result<Tensor> loadDeflated(const ZipEntry &entry, const NpyHeader &header) const;
  Status verifyStored(const ZipEntry &entry, const NpyHeader &header) const;

  std::string place;
  NpzReadOptions options;
  std::shared_ptr<const void> owner;
  std::span<const std::byte> mapped; // the archive, if it is a mapped file
  std::vector<ZipEntry> entries;
  std::vector<std::string> tensorNames; // name of the tensor in each entry
  std::map<std::string, size_t, std::less<>> indices;
};

class NpzWriter {
public:
  static Result<NpzWriter> create(const std::string &path, ZipWriteOptions options = {});

  // Writes the tensor to the file; it need not be kept alive afterwards.
  Status add(std::string_view name, const Tensor &tensor);
  Status commit() { return zip.commit(); }

private:
  explicit NpzWriter(ZipWriter zip) : zip(std::move(zip)) {}
  ZipWriter zip;
};

Result<TensorMap> readNpz(const std::string &path, NpzReadOptions options = {});
Status writeNpz(const std::string &path, const TensorMap &tensors, ZipWriteOptions options = {});

} // namespace tilerig
