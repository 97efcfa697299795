// .npz files: named tensors, each an .npy file in a zip archive. What numpy.savez and numpy.savez_compressed
// write is read, and numpy.load reads what is written.
//
// Files may be larger than memory. A reader looks at the directory and then at nothing but the tensors it is
// asked for; stored ones are views of the mapped file when they are aligned, as ours always are; others, and
// deflated ones, can be had as streams. A writer takes one tensor after another and keeps none. Every load
// verifies the entry's CRC-32, which reads all of its bytes once: a reference that silently changed on disk
// would be found as a defect of a device.
#pragma once

#include "isa/Tensor/NpyHeader.h"
#include "isa/Tensor/TensorMap.h"
#include "isa/Tensor/TensorStream.h"
#include "isa/Tensor/ZipReader.h"
#include "isa/Tensor/ZipWriter.h"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace tilerig {

struct NpzReadOptions {
  // Off for a program that looks at a few elements of enormous tensors, and trusts the file.
  bool checkSums = true;
};

class NpzReader {
public:
  static Result<NpzReader> open(const std::string &path, NpzReadOptions options = {});
  // An archive in memory, kept alive by `owner`. Without an owner tensors are copied.
  static Result<NpzReader> parse(std::span<const std::byte> archive, std::shared_ptr<const void> owner,
                                 std::string place, NpzReadOptions options = {});

  // In the order of the archive.
  const std::vector<std::string> &names() const { return tensorNames; }
  // Type and shape of a tensor, without its data.
  Result<NpyHeader> header(std::string_view name) const;
  Result<Tensor> load(std::string_view name) const;
  // The same without taking memory for it; but for what is small, and what needs converting (big-endian,
  // Fortran order). What is stored is verified here, what is deflated whenever it is gone through.
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
  std::span<const std::byte> mapped; // the archive, where it is a file
  std::vector<ZipEntry> entries;
  std::vector<std::string> tensorNames; // of the entries
  std::map<std::string, size_t, std::less<>> indices;
};

class NpzWriter {
public:
  static Result<NpzWriter> create(const std::string &path, ZipWriteOptions options = {});

  // Writes the tensor; it may be gone afterwards.
  Status add(std::string_view name, const Tensor &tensor);
  Status commit() { return zip.commit(); }

private:
  explicit NpzWriter(ZipWriter zip) : zip(std::move(zip)) {}
  ZipWriter zip;
};

Result<TensorMap> readNpz(const std::string &path, NpzReadOptions options = {});
Status writeNpz(const std::string &path, const TensorMap &tensors, ZipWriteOptions options = {});

} // namespace tilerig
