#include "models/Zoo.h"

#include "isa/Base/Support/File.h"
#include "models/Calibration/Calibrate.h"
#include "models/Calibration/Fold.h"
#include "models/Weights/Fill.h"

#include <fmt/core.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

namespace tilerig::models {

namespace {

// Largest height and width of images. Calibration keeps the activations of a few layers for four pictures in
// memory; at this image size the activations take 2 GB.
constexpr int64_t mostImageSize = 512;
// Largest batch size: far above any useful batch, but small enough to keep tensor sizes far from overflow.
constexpr int64_t mostBatch = 4096;

Status checkVariant(const CatalogueEntry &entry, const Variant &variant) {
  std::string place(entry.name);
  const auto &images = entry.images;
  if (variant.opset < leastOpset || variant.opset > mostOpset)
    return usageError(place, fmt::format("opset {} is not supported", variant.opset),
                      fmt::format("choose {} to {}", leastOpset, mostOpset));
  if (variant.batch < 1 || variant.batch > mostBatch)
    return usageError(place, fmt::format("a batch of {} is not supported", variant.batch),
                      fmt::format("choose 1 to {}", mostBatch));
  if (images.usual == 0 && variant.imageSize != 0)
    return usageError(place, "the network takes no images", "leave out --image-size");
  if (images.usual != 0 && (variant.imageSize < images.least || variant.imageSize > mostImageSize ||
                            variant.imageSize % images.step != 0))
    return usageError(place, fmt::format("images of {0} × {0} are not supported", variant.imageSize),
                      fmt::format("choose an image size from {} to {}{}", images.least, mostImageSize,
                                  images.step > 1 ? fmt::format(", a multiple of {}", images.step) : ""));
  return success();
}

// Checks that the model stays below protobuf's limit of 2 GiB for a file.
Status checkSize(const CatalogueEntry &entry, const Network &network) {
  constexpr int64_t mostParameters = 500'000'000;
  if (int64_t count = countParameters(network); count > mostParameters)
    return usageError(std::string(entry.name),
                      fmt::format("the network has {} parameters, but at most {} fit into an ONNX file",
                                  count, mostParameters),
                      "choose a smaller --image-size: dense layers grow with it");
  return success();
}

class ToOutputFile : public google::protobuf::io::CopyingOutputStream {
public:
  explicit ToOutputFile(OutputFile &file) : file(file) {}
  bool Write(const void *buffer, int size) override {
    status = file.write(std::span(static_cast<const std::byte *>(buffer), static_cast<size_t>(size)));
    return static_cast<bool>(status);
  }

  OutputFile &file;
  Status status = success();
};

} // namespace

Result<Network> describeNetwork(const CatalogueEntry &entry, Variant variant) {
  if (variant.imageSize == 0)
    variant.imageSize = entry.images.usual;
  TILERIG_CHECK_OK(checkVariant(entry, variant));
  Network network = entry.describe(variant);
  TILERIG_CHECK_OK(checkSize(entry, network));
  return network;
}

Result<onnx::ModelProto> makeNetwork(const CatalogueEntry &entry, const ZooOptions &options,
                                     reference::Threads &threads) {
  TILERIG_TRY(Network network, describeNetwork(entry, options.variant));
  fillWeights(network, options.seed, threads);
  TILERIG_CHECK_OK(calibrate(network, options.seed, threads));
  foldNorms(network, options.foldNorms ? Folding::all : Folding::scaffolds);
  return std::move(network.model);
}

Status writeNetwork(const std::string &path, const onnx::ModelProto &model) {
  TILERIG_TRY(OutputFile file, OutputFile::create(path));
  ToOutputFile sink(file);
  {
    google::protobuf::io::CopyingOutputStreamAdaptor stream(&sink, 1 << 20);
    if (!model.SerializeToZeroCopyStream(&stream) || !stream.Flush())
      return sink.status ? Status(internalError(path, "protobuf cannot serialise the model")) : sink.status;
  }
  return file.commit();
}

} // namespace tilerig::models
