// SPDX-License-Identifier: Apache-2.0
// The error of a roofline is no smooth function of its three numbers, and has
// many valleys. So each number is sought in turn among values that lie ever
// closer together, from several beginnings; a kernel more costs a logarithm for
// each of some hundred trials.
#include "smp/model/Costs.h"
#include <algorithm>
#include <cmath>

namespace smp {

namespace {

class Fit {
public:
  explicit Fit(std::span<const KernelCost> all) {
    for (const KernelCost &kernel : all)
      if (kernel.seconds > 0)
        kernels.push_back(&kernel);
  }

  Roofline run(const Roofline &otherwise) const {
    Roofline best = otherwise;
    if (kernels.empty())
      return best;
    best.launchSeconds = shortest();
    best.flopsPerSecond = quantile(&KernelCost::flops, 1, best.flopsPerSecond);
    best.bytesPerSecond = quantile(&KernelCost::bytes, 1, best.bytesPerSecond);
    double least = errorOf(best);
    for (double f : {0.5, 0.75, 0.9, 1.0})
      for (double b : {0.5, 0.75, 0.9, 1.0}) {
        Roofline found = best;
        found.flopsPerSecond =
            quantile(&KernelCost::flops, f, otherwise.flopsPerSecond);
        found.bytesPerSecond =
            quantile(&KernelCost::bytes, b, otherwise.bytesPerSecond);
        found.launchSeconds = shortest();
        const double error = descend(found);
        if (error < least) {
          least = error;
          best = found;
        }
      }
    return best;
  }

private:
  double shortest() const {
    double least = kernels.front()->seconds;
    for (const KernelCost *kernel : kernels)
      least = std::min(least, kernel->seconds);
    return least;
  }

  /// The speed that this part of the kernels stays below.
  double quantile(double KernelCost::*work, double part,
                  double otherwise) const {
    std::vector<double> speeds;
    for (const KernelCost *kernel : kernels)
      if (kernel->*work > 0)
        speeds.push_back(kernel->*work / kernel->seconds);
    if (speeds.empty())
      return otherwise;
    std::sort(speeds.begin(), speeds.end());
    return speeds[size_t(part * double(speeds.size() - 1))];
  }

  double errorOf(const Roofline &roofline) const {
    double sum = 0, weight = 0;
    for (const KernelCost *kernel : kernels) {
      const double all = kernel->seconds * double(kernel->runs);
      sum += all *
             std::abs(std::log(roofline.seconds(kernel->flops, kernel->bytes) /
                               kernel->seconds));
      weight += all;
    }
    return sum / weight;
  }

  /// Goes down from there; returns the error.
  double descend(Roofline &found) const {
    double least = errorOf(found);
    for (double step = 2; step > 1.001; step = std::sqrt(step))
      for (bool goesOn = true; goesOn;) {
        goesOn = false;
        for (double Roofline::*number :
             {&Roofline::flopsPerSecond, &Roofline::bytesPerSecond,
              &Roofline::launchSeconds})
          for (double factor : {step, 1 / step}) {
            Roofline next = found;
            next.*number *= factor;
            const double error = errorOf(next);
            if (error < least * (1 - 1e-9)) {
              least = error;
              found = next;
              goesOn = true;
            }
          }
      }
    return least;
  }

  std::vector<const KernelCost *> kernels; ///< That take any time.
};

} // namespace

Roofline fitRoofline(std::span<const KernelCost> kernels,
                     const Roofline &otherwise) {
  return Fit(kernels).run(otherwise);
}

} // namespace smp
