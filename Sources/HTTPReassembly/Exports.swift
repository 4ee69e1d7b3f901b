// Packets are what the analysis takes: who imports it can name them.
@_exported import Packets
