// Pins that cannot be honoured are refused where they are.
// RUN: smp-opt %s --smp-check-annotations --split-input-file --verify-diagnostics
// RUN: not smp-opt %s --smp-check-annotations=partitions=-1 2>&1 | FileCheck %s
// CHECK: error: partitions is -1; it must be a positive integer, at most 4096

module attributes {smp.partitions = 3 : i64} {
smp.entry @out_of_range(%x: tensor<4xf32> {smp.name = "x"}) {
  %0 = smp.abs %x {smp.placement = #smp.placement<2, user>} : tensor<4xf32>
  // expected-error @+1 {{an unnamed smp.exp is pinned to partition 3, but there are 3 (0..2); pin it to one of them or compile for at least 4}}
  %1 = smp.exp %0 {smp.placement = #smp.placement<3, user>} : tensor<4xf32>
  smp.return
}
}

// -----

module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
smp.entry @split_variable(%x: tensor<4xf32> {smp.name = "x"}) {
  %w = smp.read @w : tensor<4xf32>
  // expected-note @+1 {{an unnamed smp.add is here}}
  %0 = smp.add %x, %w {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  // expected-error @+1 {{an unnamed smp.mul is pinned to partition 1 and an unnamed smp.add to partition 0, but both use the variable 'w'; ops that share a variable stay on one partition}}
  %1 = smp.mul %0, %w {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.return
}
}

// -----

module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
smp.entry @train(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-note @+1 {{is here}}
  smp.assign @w, %x : tensor<4xf32> {smp.placement = #smp.placement<0, user>}
  smp.return
}
smp.entry @another_entry(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-error @+1 {{both use the variable 'w'}}
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<1, user>}
  smp.return
}
}
