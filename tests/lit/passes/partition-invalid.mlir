// When the pins and the limit exclude every placement, a smallest set of them
// is named.
// RUN: smp-opt %s --smp-partition=memory-limit=30000 --split-input-file --verify-diagnostics
// RUN: not smp-opt %s --smp-partition=memory-weight=2.0 2>&1 | FileCheck %s --check-prefix=WEIGHT
// WEIGHT: memory-weight is 2.0{{.*}}; it must be between 0.0 and 1.0

module attributes {smp.partitions = 3 : i64} {
smp.variable @a parameter : tensor<64x64xf32> = #smp.splat<0.0>
smp.variable @b parameter : tensor<64x64xf32> = #smp.splat<0.0>
smp.variable @c parameter : tensor<8x8xf32> = #smp.splat<0.0>
smp.entry @pins() {
  %a = smp.read @a : tensor<64x64xf32>
  %b = smp.read @b : tensor<64x64xf32>
  %c = smp.read @c : tensor<8x8xf32>
  // expected-note @+1 {{an unnamed smp.reduce is here}}
  %0 = smp.reduce sum %a {dimensions = array<i64: 0, 1>, smp.placement = #smp.placement<1, user>}
     : (tensor<64x64xf32>) -> tensor<f32>
  // expected-error @+1 {{no placement keeps the memory limit of 30000 bytes per partition and these pins: an unnamed smp.reduce on 1, an unnamed smp.reduce on 1}}
  %1 = smp.reduce sum %b {dimensions = array<i64: 0, 1>, smp.placement = #smp.placement<1, user>}
     : (tensor<64x64xf32>) -> tensor<f32>
  %2 = smp.reduce sum %c {dimensions = array<i64: 0, 1>, smp.placement = #smp.placement<1, user>}
     : (tensor<8x8xf32>) -> tensor<f32>
  smp.return
}
}

// -----

module attributes {smp.partitions = 3 : i64} {
smp.variable @large parameter : tensor<128x128xf32> = #smp.splat<0.0>
smp.entry @too_large() {
  // expected-error @+1 {{an unnamed smp.read, with what shares its variables, needs 65540 bytes, more than the memory limit of 30000 bytes per partition; raise the limit}}
  %a = smp.read @large : tensor<128x128xf32>
  %0 = smp.reduce sum %a {dimensions = array<i64: 0, 1>} : (tensor<128x128xf32>) -> tensor<f32>
  smp.return
}
}

// -----

// expected-error @+1 {{the ops need 49152 bytes of variables, which do not fit 1 partitions under the memory limit of 30000 bytes per partition; raise the limit or the number of partitions}}
module attributes {smp.partitions = 1 : i64} {
smp.variable @a parameter : tensor<4096xf32> = #smp.splat<0.0>
smp.variable @b parameter : tensor<4096xf32> = #smp.splat<0.0>
smp.variable @c parameter : tensor<4096xf32> = #smp.splat<0.0>
smp.entry @too_many() {
  %a = smp.read @a : tensor<4096xf32>
  %b = smp.read @b : tensor<4096xf32>
  %c = smp.read @c : tensor<4096xf32>
  smp.return
}
}
