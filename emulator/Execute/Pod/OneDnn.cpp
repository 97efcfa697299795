#include "emulator/Execute/Pod/OneDnn.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <mutex>
#include <oneapi/dnnl/dnnl.hpp>
#include <string_view>
#include <vector>

// These functions of OpenMP are declared here, as its specification states them, because clang does not find
// GCC's omp.h.
extern "C" int omp_get_max_threads(void);
extern "C" void omp_set_num_threads(int numThreads);

namespace tilerig::emulator::pod {

namespace {

using dnnl::memory;

// Limits oneDNN to the calling thread while the object exists. oneDNN would otherwise distribute work over
// OpenMP threads, both when it creates and when it runs a kernel, but the emulator's worker threads already
// use all cores.
class Alone {
public:
  Alone() : before(omp_get_max_threads()) { omp_set_num_threads(1); }
  ~Alone() { omp_set_num_threads(before); }
  Alone(const Alone &) = delete;
  Alone &operator=(const Alone &) = delete;

private:
  int before;
};

const dnnl::engine &host() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// oneDNN lists image dimensions as n, c, h, w and weight dimensions as o, i, h, w, whatever the memory layout
// is.
memory::dims imageDims(uint32_t images, uint32_t channels, uint32_t height, uint32_t width) {
  return {images, channels, height, width};
}

struct Weights final : ReorderedWeights {
  explicit Weights(const memory::desc &desc) : memory(desc, host()) {}
  dnnl::memory memory;
};

// The oneDNN objects that a run of a kernel needs besides the weights. They are kept for later runs, because
// creating them allocates memory.
struct Arguments {
  dnnl::stream stream;
  memory image, sums, work;
};

class Product final : public OneDnnProduct {
public:
  // Creates the kernel and adds the format of its weights to `weightFormats`, if the format is not yet there.
  // Throws dnnl::error if oneDNN fails.
  Product(const ProductShape &shape, std::vector<memory::desc> &weightFormats)
      : shape(shape), description(describe(shape)), primitive(description) {
    const memory::desc wanted = description.weights_desc();
    while (format < weightFormats.size() && weightFormats[format] != wanted)
      ++format;
    if (format == weightFormats.size())
      weightFormats.push_back(wanted);
  }

  bool isFast() const { return !std::string_view(description.impl_info_str()).starts_with("ref"); }

  // Tests that the kernel multiplies the largest bytes without saturation. oneDNN selects one of many kernels
  // by shape and host, and no unit test can cover them all, so each kernel is tested before it is used.
  bool passesTrial() const {
    const size_t numK = size_t{shape.channels} * shape.kernelH * shape.kernelW;
    constexpr int32_t byte = std::numeric_limits<uint8_t>::max();
    // The test weights repeat these eight values. The sum of the first two products is the largest that a
    // pair can have, while the sum of all eight stays small. A host that adds pairs of products in 16 bits
    // would saturate with weights of 127. On such a host oneDNN is used and tested only with weights up to
    // 63.
    const auto largest = static_cast<int8_t>(oneDnnIsExact() ? 127 : 63),
               less = static_cast<int8_t>(-largest);
    const std::array<int8_t, 8> eight{largest, largest, less, 0, less, 0, 0, 1};
    std::vector<int8_t> values(shape.outputs * numK);
    int32_t expected = 0;
    for (size_t k = 0; k < numK; ++k) {
      expected += byte * eight[k % 8];
      for (uint32_t output = 0; output < shape.outputs; ++output)
        values[output * numK + k] = static_cast<int8_t>(output % 2 ? -eight[k % 8] : eight[k % 8]);
    }
    const auto weights = reorder(values);
    const std::vector<uint8_t> image(description.src_desc().get_size(), byte);
    std::vector<int32_t> sums(size_t{shape.positions()} * shape.outputs);
    std::vector<std::byte> work(scratchBytes());
    if (!weights || !run(image.data(), *weights, sums.data(), work.data()))
      return false;
    for (size_t i = 0; i < sums.size(); ++i)
      if (sums[i] != (i % shape.outputs % 2 ? -expected : expected))
        return false;
    return true;
  }
  uint32_t weightFormat() const override { return format; }
  size_t scratchBytes() const override { return description.scratchpad_desc().get_size(); }

  std::shared_ptr<const ReorderedWeights> reorder(std::span<const int8_t> weights) const override try {
    const Alone alone;
    memory dense({{shape.outputs, shape.channels, shape.kernelH, shape.kernelW},
                  memory::data_type::s8,
                  memory::format_tag::ohwi},
                 host(), const_cast<int8_t *>(weights.data()));
    auto reordered = std::make_shared<Weights>(description.weights_desc());
    dnnl::stream stream(host());
    dnnl::reorder(dense, reordered->memory).execute(stream, dense, reordered->memory);
    stream.wait();
    return reordered;
  } catch (const dnnl::error &) {
    return nullptr;
  }

  // Runs the oneDNN kernel through oneDNN's C functions, because the C++ API builds a map of the arguments on
  // every call.
  bool run(const uint8_t *image, const ReorderedWeights &weights, int32_t *sums,
           std::byte *work) const override {
    const Alone alone;
    std::unique_ptr<Arguments> with = take();
    if (!with)
      return false;
    const dnnl_stream_t stream = with->stream.get();
    const std::array<dnnl_exec_arg_t, 4> arguments{
        {{DNNL_ARG_SRC, with->image.get()},
         {DNNL_ARG_WEIGHTS, static_cast<const Weights &>(weights).memory.get()},
         {DNNL_ARG_DST, with->sums.get()},
         {DNNL_ARG_SCRATCHPAD, with->work.get()}}};
    const auto lay = [&](const memory &at, void *data) {
      return dnnl_memory_set_data_handle_v2(at.get(), data, stream) == dnnl_success;
    };
    const bool done =
        lay(with->image, const_cast<uint8_t *>(image)) && lay(with->sums, sums) && lay(with->work, work) &&
        dnnl_primitive_execute(primitive.get(), stream, arguments.size(), arguments.data()) == dnnl_success &&
        dnnl_stream_wait(stream) == dnnl_success;
    const std::lock_guard lock(mutex);
    idle.push_back(std::move(with));
    return done;
  }

private:
  static dnnl::convolution_forward::primitive_desc describe(const ProductShape &shape) {
    const memory::desc image(imageDims(shape.images, shape.channels, shape.height, shape.width),
                             memory::data_type::u8, memory::format_tag::nhwc),
        weights(imageDims(shape.outputs, shape.channels, shape.kernelH, shape.kernelW), memory::data_type::s8,
                memory::format_tag::any),
        sums(imageDims(shape.images, shape.outputs, shape.outHeight(), shape.outWidth()),
             memory::data_type::s32, memory::format_tag::nhwc);
    dnnl::primitive_attr attributes;
    attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    // oneDNN defines dilation as the number of pixels between two taps.
    const memory::dims strides{shape.strideH, shape.strideW},
        between{shape.dilationH - 1, shape.dilationW - 1};
    return {{dnnl::prop_kind::forward_inference,
             dnnl::algorithm::convolution_direct,
             image,
             weights,
             sums,
             strides,
             between,
             {0, 0},
             {0, 0}},
            attributes,
            host()};
  }

  std::unique_ptr<Arguments> take() const try {
    {
      const std::lock_guard lock(mutex);
      if (!idle.empty()) {
        std::unique_ptr<Arguments> arguments = std::move(idle.back());
        idle.pop_back();
        return arguments;
      }
    }
    const auto nowhere = [](const memory::desc &desc) { return memory(desc, host(), DNNL_MEMORY_NONE); };
    return std::make_unique<Arguments>(Arguments{dnnl::stream(host()), nowhere(description.src_desc()),
                                                 nowhere(description.dst_desc()),
                                                 nowhere(description.scratchpad_desc())});
  } catch (const dnnl::error &) {
    return nullptr;
  }

  ProductShape shape;
  dnnl::convolution_forward::primitive_desc description;
  dnnl::convolution_forward primitive;
  uint32_t format = 0;
  mutable std::mutex mutex;
  mutable std::vector<std::unique_ptr<Arguments>> idle;
};

} // namespace

bool oneDnnIsExact() {
  constexpr auto wanted = static_cast<unsigned>(dnnl::cpu_isa::avx512_core_vnni);
  return (static_cast<unsigned>(dnnl::get_effective_cpu_isa()) & wanted) == wanted;
}

std::shared_ptr<const OneDnnProduct> OneDnnProduct::of(const ProductShape &shape) try {
  static std::mutex mutex;
  static std::map<ProductShape, std::weak_ptr<const OneDnnProduct>> products;
  // Formats of weights are never removed from this list, because oneDNN kernels store indices into it.
  static std::vector<memory::desc> weightFormats;
  const std::lock_guard lock(mutex);
  std::weak_ptr<const OneDnnProduct> &known = products[shape];
  if (auto product = known.lock())
    return product;
  const Alone alone;
  const auto product = std::make_shared<const Product>(shape, weightFormats);
  if (!product->isFast() || !product->passesTrial())
    return nullptr;
  known = product;
  return product;
} catch (const dnnl::error &) {
  return nullptr;
}

} // namespace tilerig::emulator::pod
