/** Whether people may open shells of their own beside agents: the setting, as it was read last. */
class ShellSwitch {
    on = $state(false);

    get offers(): { readonly shell: boolean } {
        return { shell: this.on };
    }
}

export const shellSwitch = new ShellSwitch();
