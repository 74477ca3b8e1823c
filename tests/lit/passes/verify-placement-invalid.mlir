// What makes a placement unsound.
// RUN: smp-opt %s --smp-verify-placement --split-input-file --verify-diagnostics

smp.entry @unplaced(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-error @+2 {{'smp.abs' op has no placement}}
  // expected-note @+1 {{run --smp-partition first, or annotate it with smp.placement}}
  %0 = smp.abs %x : tensor<4xf32>
  smp.return
}

// -----

module attributes {smp.partitions = 2 : i64} {
smp.entry @out_of_range(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-error @+1 {{'smp.abs' op is on partition 2 of a module for 2}}
  %0 = smp.abs %x {smp.placement = #smp.placement<2, solver>} : tensor<4xf32>
  smp.return
}
}

// -----

module attributes {smp.partitions = 2 : i64} {
smp.variable @w parameter : tensor<4xf32> = #smp.splat<0.0>
smp.entry @shared_between_entries(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-note @+1 {{the other op: an unnamed smp.read}}
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %0 = smp.add %x, %w {smp.placement = #smp.placement<0, solver>} : tensor<4xf32>
  smp.return
}
smp.entry @other(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-error @+1 {{'smp.read' op is on partition 1 but shares variable 'w' with an op on partition 0}}
  %w = smp.read @w : tensor<4xf32> {smp.placement = #smp.placement<1, propagated>}
  // expected-error @+1 {{'smp.mul' op is on partition 1 but shares variable 'w' with an op on partition 0}}
  %0 = smp.mul %x, %w {smp.placement = #smp.placement<1, solver>} : tensor<4xf32>
  smp.return
}
}

// -----

smp.variable @count state : tensor<4xf32> = #smp.splat<0.0>
smp.entry @assigned(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-note @+1 {{the other op: an unnamed smp.read}}
  %c = smp.read @count : tensor<4xf32> {smp.placement = #smp.placement<all, user>}
  // expected-error @+1 {{'smp.assign' op is on partition 0 but shares variable 'count' with an op on every partition}}
  smp.assign @count, %x : tensor<4xf32> {smp.placement = #smp.placement<0, user>}
  smp.return
}

// -----

// Between reading a state and assigning it nothing may be elsewhere.
module attributes {smp.partitions = 2 : i64} {
smp.variable @count state : tensor<4xf32> = #smp.splat<0.0>
smp.entry @between(%x: tensor<4xf32> {smp.name = "x"}) {
  // expected-note @+1 {{the other op: an unnamed smp.read}}
  %c = smp.read @count : tensor<4xf32> {smp.placement = #smp.placement<0, propagated>}
  %0 = smp.exp %c {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  // expected-error @+1 {{'smp.abs' op is on partition 1 but shares variable 'count' with an op on partition 0}}
  %1 = smp.abs %0 {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  %2 = smp.add %1, %x {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %3 = smp.log %c {smp.placement = #smp.placement<0, user>} : tensor<4xf32>
  %4 = smp.abs %3 {smp.placement = #smp.placement<1, user>} : tensor<4xf32>
  smp.assign @count, %2 : tensor<4xf32> {smp.placement = #smp.placement<0, user>}
  smp.return
}
}
