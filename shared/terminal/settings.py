"""Settings of the terminal client: environment variables with the prefix `LEVATA_`."""

from pathlib import Path

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.terminal.texts import LANGUAGES


class TerminalSettings(BaseSettings):
    """What the terminal can be told. Where the services answer is read by `shared.client.Addresses`."""

    model_config = SettingsConfigDict(env_prefix="LEVATA_", extra="ignore")

    state: Path = Field(Path(".state"), description="Directory in which name and key are kept.")
    language: str = Field("ro", description="Language of the screen: ro or en.")
    show_milliseconds: int = Field(
        350, ge=0, le=5000, description="How long a card is seen before the next; a whole trick three times as long."
    )
    patience_seconds: float = Field(4.0, gt=0, description="A service that does not answer for so long is down.")

    @property
    def folder(self) -> Path:
        """Where the terminal keeps what it keeps."""
        return self.state / "terminal"

    @property
    def player_file(self) -> Path:
        """Where the player's name and keys are kept."""
        return self.folder / "player.json"

    @property
    def service_key_file(self) -> Path:
        """Where a club that runs from this folder keeps the key of a service, for its operator's use."""
        return self.state / "keys" / "service-matchmaking.jwt"

    @property
    def spoken(self) -> str:
        """The language, one that there is."""
        return self.language if self.language in LANGUAGES else LANGUAGES[0]
