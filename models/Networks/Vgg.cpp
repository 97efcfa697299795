// VGG: 3×3 convolutions in five stages, followed by three large fully connected layers. K. Simonyan, A.
// Zisserman: Very deep convolutional networks for large-scale image recognition, 2014.
#include "models/Builder/Layers.h"
#include "models/Networks/Families.h"

#include <array>

namespace tilerig::models {

// Describes a VGG network; `depths` is the number of convolutions in each of its stages.
static Network vgg(std::string_view name, const std::array<int, 5> &depths, const Variant &variant) {
  GraphBuilder g(name, variant.opset);
  Value x = imageInput(g, variant);
  for (size_t stage = 0; stage < depths.size(); ++stage) {
    Scope scope(g, "stage" + std::to_string(stage + 1));
    int64_t channels = std::min<int64_t>(64 << stage, 512);
    for (int i = 1; i <= depths[stage]; ++i) {
      x = biasedConv(g, x, "conv" + std::to_string(i), {channels, {3, 1, 1}});
      x = relu(g, x, "relu" + std::to_string(i));
    }
    x = maxPool(g, x, {.size = 2, .stride = 2});
  }
  x = flatten(g, x);
  x = relu(g, linear(g, x, "fc6", 4096), "relu6");
  x = relu(g, linear(g, x, "fc7", 4096), "relu7");
  g.output(linear(g, x, "fc8", imageNetClasses));
  return std::move(g).finish();
}

Network vgg16(const Variant &variant) { return vgg("vgg16", {2, 2, 3, 3, 3}, variant); }
Network vgg19(const Variant &variant) { return vgg("vgg19", {2, 2, 4, 4, 4}, variant); }

} // namespace tilerig::models
