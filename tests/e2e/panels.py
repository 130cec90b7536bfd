"""Panels that people have, each as the tray of a rig."""

import shutil

from tests.e2e.rig import Rig

PANELS = ("trayer", "xfce4-panel")
HEIGHT = 32

XFCE = f"""<?xml version="1.0" encoding="UTF-8"?>
<channel name="xfce4-panel" version="1.0">
  <property name="configver" type="int" value="2"/>
  <property name="panels" type="array">
    <value type="int" value="1"/>
    <property name="panel-1" type="empty">
      <property name="position" type="string" value="p=8;x=640;y=780"/>
      <property name="length" type="uint" value="100"/>
      <property name="position-locked" type="bool" value="true"/>
      <property name="size" type="uint" value="{HEIGHT}"/>
      <property name="plugin-ids" type="array"><value type="int" value="1"/></property>
    </property>
  </property>
  <property name="plugins" type="empty">
    <property name="plugin-1" type="string" value="systray"/>
  </property>
</channel>
"""
"""Else the panel asks in a dialog which panel it shall be."""


def missing_panel(name: str) -> str:
    """Say what this machine lacks for the panel, "" when it has it."""
    return "" if shutil.which(name) else f"{name} is not installed"


def start_panel(rig: Rig, name: str) -> None:
    """Start the panel; that its tray is there, the app's own tray says."""
    if name == "trayer":
        rig.start(
            *("panel", "trayer", "--edge", "bottom", "--align", "right", "--widthtype", "request"),
            *("--heighttype", "pixel", "--height", str(HEIGHT), "--SetDockType", "true"),
        )
        return
    # The settings' own service is started by the bus, with the rig's folders.
    settings = rig.folder / "config" / "xfce4" / "xfconf" / "xfce-perchannel-xml"
    settings.mkdir(parents=True)
    (settings / "xfce4-panel.xml").write_text(XFCE, encoding="utf-8")
    rig.start("panel", "xfce4-panel", "--disable-wm-check")
